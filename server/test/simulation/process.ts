import { readConfig } from '../../src/config.ts'
import type { Context } from '../../src/kernel/context.ts'
import { createSecretBox } from '../../src/kernel/crypto.ts'
import { fromPool } from '../../src/kernel/db/db.ts'
import { createIdGenerator } from '../../src/kernel/ids.ts'
import type { Log } from '../../src/kernel/log.ts'
import { MailFailure } from '../../src/kernel/mail/index.ts'
import { createMetrics } from '../../src/kernel/metrics.ts'
import { SimulatedPool, type Task } from './pool.ts'
import type { Owner } from './scheduler.ts'
import type { Role } from './weather.ts'
import type { World } from './world.ts'

/** One process from its start to its end: the real code, on a context made of gates. */
export class SimulatedProcess implements Owner {
  readonly role: Role
  /** `R1.2` is the second life of the first runner. */
  readonly label: string
  alive = true
  stalledUntilMs = 0
  readonly pool: SimulatedPool
  readonly ctx: Context
  /** Of a runner, as its leases name it. */
  runnerId: string | undefined
  onHint: (() => void) | undefined
  readonly #world: World

  constructor(world: World, role: Role, label: string) {
    this.#world = world
    this.role = role
    this.label = label
    this.pool = new SimulatedPool(world, this)
    this.ctx = this.#createContext()
  }

  /** The same process, with a handle on its pool that says what its statements work for. */
  contextFor(task: Task): Context {
    return { ...this.ctx, db: fromPool(this.pool.handle(task)).db }
  }

  #createContext(): Context {
    const { scheduler, weather, receivers } = this.#world
    const { forecast } = weather
    const random = this.#world.random.fork(this.label)
    const skewMs = random.between(-forecast.skewMaxMs, forecast.skewMaxMs)
    const now = () => new Date(forecast.startMs + scheduler.nowMs + skewMs)
    return {
      config: {
        ...readConfig({}),
        leaseMs: forecast.leaseMs,
        webhookRetryDelaysMs: forecast.retryDelaysMs,
      },
      db: fromPool(this.pool.handle()).db,
      now,
      monotonicMs: () => scheduler.nowMs,
      random: () => random.next(),
      newId: createIdGenerator(now, (bytes) => random.fill(bytes)),
      sleep: (ms, signal) => this.#sleep(ms, signal),
      http: { post: (request) => receivers.post(this, request), close: async () => undefined },
      mail: { connectSmtp: unreachable, connectImap: unreachable },
      lookup: async () => ['203.0.113.1'],
      lookupMail: async () => [],
      secrets: createSecretBox([secretKey]),
      log: this.#createLog(),
      metrics,
    }
  }

  #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) resolve()
      signal?.addEventListener('abort', () => resolve(), { once: true })
      this.#world.scheduler.after(ms, this, resolve)
    })
  }

  #createLog(): Log {
    const write = (level: string) => (fields: Record<string, unknown>, message: string) => {
      const { scheduler, trace, chronicle } = this.#world
      const { error, code } = fields
      trace.add(scheduler.nowMs, this.label, `${level}: ${message} (${code ?? error ?? ''})`)
      chronicle.logged(this, fields)
    }
    const silent = () => undefined
    return {
      debug: silent,
      info: silent,
      warn: write('warn'),
      error: write('error'),
      fatal: write('fatal'),
    } as unknown as Log
  }
}

/** Nobody's mail is simulated. */
const unreachable = async (): Promise<never> => {
  throw new MailFailure('connect', 'unreachable')
}

const secretKey = Buffer.alloc(32, 7)
const metrics = createMetrics()
