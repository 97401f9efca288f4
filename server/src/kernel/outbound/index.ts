import { ConnectionPool } from './connection-pool.ts'
import { createConnector } from './connector.ts'
import { createLookup, type LookupFn } from './lookup.ts'
import {
  OutboundRequest,
  type PostOutcome,
  type PostRequest,
  type Target,
} from './outbound-request.ts'
import type { AddressPolicy } from './policy.ts'
import { createDecoder } from './response-body.ts'

export { parseAddress, parseCidrs } from './cidr.ts'
export { type Connector, createConnector, guardLookup } from './connector.ts'
export { classifyConnect, OutboundError } from './failure.ts'
export { createLookup, type LookupFn } from './lookup.ts'
export type { PostOutcome, PostRequest, SentOutcome } from './outbound-request.ts'
export {
  type AddressPolicy,
  findLiteral,
  isLoopback,
  isPublicHost,
  judgeAddress,
  judgeTarget,
} from './policy.ts'
export {
  createMailLookup,
  createTextLookup,
  type MailLookupFn,
  type TextLookupFn,
} from './record-lookups.ts'

export interface OutboundHttp {
  /** One POST, never retried, never redirected. Resolves always; never rejects. */
  post(request: PostRequest): Promise<PostOutcome>
  /** Refuses new requests and resolves when those under way have ended. */
  close(): Promise<void>
}

export interface OutboundOptions {
  policy: AddressPolicy
  lookup?: LookupFn
  connectionsMax?: number
  monotonicMs?: () => number
}

/**
 * Of each use, and more than its callers ever have in flight, also to one origin: who shares a host with
 * receivers that hang must not wait behind them. Fairness is the callers' business, who know whose
 * request it is.
 */
const connectionsMax = 2560

/** The one way out of this process over HTTP. Proxy variables of the environment are not read. */
export function createOutboundHttp(options: OutboundOptions): OutboundHttp {
  const monotonicMs = options.monotonicMs ?? (() => performance.now())
  const open = createConnector(options.policy, options.lookup ?? createLookup())
  const pools = new Map<string, ConnectionPool>()
  const poolOf = (use: string) => {
    const known = pools.get(use)
    if (known !== undefined) return known
    const pool = new ConnectionPool({
      ...{ open, monotonicMs, connectionsMax: options.connectionsMax ?? connectionsMax },
    })
    pools.set(use, pool)
    if (isClosed) void pool.close()
    return pool
  }
  let isClosed = false
  const findTarget = createTargets()
  const sender = {
    monotonicMs,
    decode: createDecoder(),
    finished: (request: OutboundRequest, isClean: boolean) =>
      poolOf(request.post.use).finished(request, isClean),
  }
  return {
    post(request) {
      const target = findTarget(request.url)
      if (target === undefined) return Promise.resolve(notAUrl)
      const pool = poolOf(request.use)
      return new Promise((resolve) =>
        pool.send(new OutboundRequest(request, target, sender, resolve)),
      )
    },
    async close() {
      isClosed = true
      await Promise.all([...pools.values()].map((pool) => pool.close()))
    },
  }
}

const targetsMax = 10_000

/** Where a URL leads; undefined when that is nowhere. A destination's is asked for at each attempt. */
function createTargets(): (url: string) => Target | undefined {
  const targets = new Map<string, Target>()
  return (url) => {
    const known = targets.get(url)
    if (known !== undefined) return known
    const parsed = URL.parse(url)
    if (parsed === null || !/^https?:$/.test(parsed.protocol)) return undefined
    const target = { origin: parsed.origin, path: parsed.pathname + parsed.search }
    if (targets.size >= targetsMax) targets.clear()
    targets.set(url, target)
    return target
  }
}

const notAUrl: PostOutcome = {
  kind: 'failure',
  error: 'network_error',
  detail: 'the URL is not an http or https address',
  durationMs: 0,
}
