import { randomBytes } from 'node:crypto'
import pino from 'pino'
import { type Config, readConfig } from '../src/config.ts'
import type { AnyContext, ProcessContext } from '../src/kernel/context.ts'
import { createContext } from '../src/kernel/create-context.ts'
import { createSecretBox } from '../src/kernel/crypto.ts'
import { createIdGenerator } from '../src/kernel/ids.ts'
import type { Log } from '../src/kernel/log.ts'
import { ensurePartitions } from '../src/partitions.ts'
import { type FreeDb, freeHandle, type TestDatabase, testDatabase } from './database.ts'
import { testInstant } from './instants.ts'
import { guardNetwork } from './network-guard.ts'
import { quickPasswords } from './quick-passwords.ts'
import { Random } from './random.ts'

/** Stands still until it is told otherwise; once `run` it goes on from there with the real time. */
interface TestClock {
  now: () => Date
  set: (time: Date) => void
  advance: (ms: number) => void
  run: () => void
}

/** For what a test or a benchmark does itself. */
export interface FreeContext extends AnyContext {
  db: FreeDb
}

export interface TestContext extends FreeContext, AsyncDisposable {
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
  const real = createContext({
    config,
    db: database.db,
    now: clock.now,
    random: () => random.next(),
    newId: createIdGenerator(clock.now, (bytes) => idRandom.fill(bytes)),
    secrets: createSecretBox([randomBytes(32)]),
    passwords: quickPasswords,
    log: pino({ level: 'debug', base: null }, { write: (line) => logLines.push(line) }) as Log,
  })
  const { http } = real
  const ctx: TestContext = {
    ...real,
    ...{ db: freeHandle(database.db), database, clock, logLines },
    ...(database.directDb ? { directDb: database.directDb } : {}),
    async useRealTime() {
      clock.set(new Date())
      clock.run()
      await database.setClock(new Date())
      await ensurePartitions(ctx)
    },
    async [Symbol.asyncDispose]() {
      await http.close()
      await database[Symbol.asyncDispose]()
      if (violations.length > 0) throw new Error(violations.join('\n\n'))
    },
  }
  const { violations } = guardNetwork(ctx)
  return ctx
}

/**
 * The context as the service has it: its handle is the process's, and each statement that goes through
 * it is held to the rules. What a test changes in `ctx` is changed there, too.
 */
export const asService = (ctx: TestContext): ProcessContext =>
  new Proxy(ctx, {
    get: (target, name) => (name === 'db' ? ctx.database.db : Reflect.get(target, name)),
  }) as unknown as ProcessContext

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
