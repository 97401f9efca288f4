import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import pino from 'pino'
import { ensurePartitions } from '../src/app.ts'
import { type Config, readConfig } from '../src/config.ts'
import type { Context } from '../src/kernel/context.ts'
import { createSecretBox } from '../src/kernel/crypto.ts'
import { createIdGenerator } from '../src/kernel/ids.ts'
import type { Log } from '../src/kernel/log.ts'
import { createMailNetwork } from '../src/kernel/mail/index.ts'
import { createMetrics } from '../src/kernel/metrics.ts'
import {
  createLookup,
  createMailLookup,
  createOutboundHttp,
  createTextLookup,
} from '../src/kernel/outbound/index.ts'
import { type TestDatabase, testDatabase } from './database.ts'
import { testInstant } from './instants.ts'
import { guardNetwork } from './network-guard.ts'
import { Random } from './random.ts'

/** Stands still until it is told otherwise; once `run` it goes on from there with the real time. */
interface TestClock {
  now: () => Date
  set: (time: Date) => void
  advance: (ms: number) => void
  run: () => void
}

export interface TestContext extends Context, AsyncDisposable {
  database: TestDatabase
  clock: TestClock
  /** For what talks to programs of others, which tell the machine's time. */
  useRealTime: () => Promise<void>
  /** Every line that was logged, as text. */
  logLines: string[]
}

/**
 * A context on a private database. The clocks of both start at the same fixed instant, and what is
 * drawn, ids too, is the same in each run; TEST_SEED makes it another.
 */
export async function testContext(overrides: Partial<Config> = {}): Promise<TestContext> {
  const database = await testDatabase()
  const start = testInstant()
  await database.setClock(start)
  const config: Config = { ...readConfig({ LOG_LEVEL: 'debug' }), ...overrides }
  const clock = testClock(start)
  const random = new Random(`test ${process.env.TEST_SEED ?? 1}`)
  const idRandom = random.fork('ids')
  const logLines: string[] = []
  const http = createOutboundHttp({ policy: config.outbound })
  const ctx: TestContext = {
    config,
    db: database.db,
    now: clock.now,
    monotonicMs: () => performance.now(),
    random: () => random.next(),
    newId: createIdGenerator(clock.now, (bytes) => idRandom.fill(bytes)),
    sleep: (ms, signal) => wait(ms, undefined, { ...(signal ? { signal } : {}) }).catch(() => {}),
    http,
    mail: createMailNetwork({ policy: config.outbound, lookup: createLookup() }),
    lookup: createLookup(),
    lookupMail: createMailLookup(),
    lookupText: createTextLookup(),
    secrets: createSecretBox([randomBytes(32)]),
    log: pino({ level: 'debug', base: null }, { write: (line) => logLines.push(line) }) as Log,
    metrics: createMetrics(),
    database,
    clock,
    async useRealTime() {
      clock.set(new Date())
      clock.run()
      await database.setClock(new Date())
      await ensurePartitions(ctx)
    },
    logLines,
    async [Symbol.asyncDispose]() {
      await http.close()
      await database[Symbol.asyncDispose]()
      if (violations.length > 0) throw new Error(violations.join('\n\n'))
    },
  }
  const { violations } = guardNetwork(ctx)
  await ensurePartitions(ctx)
  return ctx
}

function testClock(start: Date): TestClock {
  let time = start.getTime()
  let runningSinceMs: number | undefined
  const elapsedMs = () => (runningSinceMs === undefined ? 0 : performance.now() - runningSinceMs)
  return {
    now: () => new Date(time + elapsedMs()),
    set: (next) => {
      time = next.getTime() - elapsedMs()
    },
    advance: (ms) => {
      time += ms
    },
    run: () => {
      runningSinceMs ??= performance.now()
    },
  }
}
