import { setTimeout as wait } from 'node:timers/promises'
import type { ProcessContext } from './context.ts'
import { createIdGenerator } from './ids.ts'
import { createMailNetwork } from './mail/index.ts'
import { createMetrics } from './metrics.ts'
import {
  createLookup,
  createMailLookup,
  createOutboundHttp,
  createTextLookup,
} from './outbound/index.ts'

type Parts = Pick<ProcessContext, 'config' | 'db' | 'secrets' | 'log'> & Partial<ProcessContext>

/**
 * The context of a process: what is not given is real. Whoever makes it closes `http` and destroys
 * `db` at the end.
 */
export function createContext(parts: Parts): ProcessContext {
  const { outbound: policy } = parts.config
  const { now = () => new Date(), lookup = createLookup() } = parts
  return {
    now,
    lookup,
    monotonicMs: () => performance.now(),
    random: Math.random,
    newId: parts.newId ?? createIdGenerator(now),
    sleep,
    http: parts.http ?? createOutboundHttp({ policy, lookup }),
    mail: parts.mail ?? createMailNetwork({ policy, lookup }),
    lookupMail: parts.lookupMail ?? createMailLookup(),
    lookupText: parts.lookupText ?? createTextLookup(),
    metrics: parts.metrics ?? createMetrics(),
    keptSettings: new Map(),
    ...parts,
  }
}

/** By the machine's clock, whatever a context sleeps by. */
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  wait(ms, undefined, { ...(signal ? { signal } : {}) }).catch(() => undefined)
