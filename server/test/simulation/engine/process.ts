import { type Config, readConfig } from '../../../src/config.ts'
import { createContext } from '../../../src/kernel/create-context.ts'
import { createSecretBox } from '../../../src/kernel/crypto.ts'
import { fromPool } from '../../../src/kernel/db/db.ts'
import { createIdGenerator } from '../../../src/kernel/ids.ts'
import type { Log } from '../../../src/kernel/log.ts'
import { MailFailure } from '../../../src/kernel/mail/index.ts'
import { createMetrics } from '../../../src/kernel/metrics.ts'
import type { FreeContext } from '../../context.ts'
import { freeHandle } from '../../database.ts'
import type { Role } from './conditions.ts'
import type { Task } from './connection.ts'
import { SimulatedPool } from './pool.ts'
import { EndlessLoop, type Owner, type Wait } from './scheduler.ts'
import type { World } from './world.ts'

/** What a process meets outside the database: of the context, and of the configuration. */
export interface ProcessSetting {
  config?: Partial<Config>
  context: Pick<FreeContext, 'http'> & Partial<FreeContext>
  /** What a pause of so long stands for. */
  waitOf?: (ms: number) => Wait
}

/** One process from its start to its end: the real code, on a context made of gates. */
export class SimulatedProcess implements Owner {
  readonly role: Role
  /** `R1.2` is the second life of the first runner. */
  readonly label: string
  alive = true
  stalledUntilMs = 0
  /** Asked to stop, it waits for what is under way until then. */
  drainsUntilMs = Infinity
  /** How far its clock is off the database's. */
  skewMs = 0
  readonly pool: SimulatedPool
  readonly ctx: FreeContext
  /** Of a runner, as its leases name it. */
  runnerId: string | undefined
  readonly #hearing = new Set<(hint: string) => void>()
  readonly #world: World
  readonly #waitOf: (ms: number) => Wait

  constructor(
    world: World,
    role: Role,
    label: string,
    contextOf: (process: SimulatedProcess) => ProcessSetting,
  ) {
    this.#world = world
    this.role = role
    this.label = label
    this.pool = new SimulatedPool(world, this)
    const processContext = contextOf(this)
    this.#waitOf = processContext.waitOf ?? (() => 'event')
    this.ctx = this.#createContext(processContext)
  }

  /** LISTEN to hints: one connection for all parts of the process. */
  readonly listen = async (onHint: (hint: string) => void) => {
    this.#hearing.add(onHint)
    return async () => {
      this.#hearing.delete(onHint)
    }
  }

  get isListening() {
    return this.#hearing.size > 0
  }

  hear(hint: string) {
    for (const onHint of this.#hearing) onHint(hint)
  }

  /** The same process, with a handle on its pool that says what its statements work for. */
  contextFor(task: Task): FreeContext {
    return { ...this.ctx, db: freeHandle(fromPool(this.pool.handle(task)).db) }
  }

  #createContext({ config, context }: ProcessSetting): FreeContext {
    const { conditions } = this.#world.environment
    const random = this.#world.random.fork(this.label)
    this.skewMs = random.between(-conditions.skewMaxMs, conditions.skewMaxMs)
    const now = () => new Date(conditions.startMs + this.#look() + this.skewMs)
    const db = freeHandle(fromPool(this.pool.handle()).db)
    const ctx = createContext({
      config: { ...readConfig({}), leaseMs: conditions.leaseMs, ...config },
      db,
      now,
      monotonicMs: () => this.#look() - this.#world.scheduler.skippedMs,
      random: () => random.next(),
      newId: createIdGenerator(now, (bytes) => random.fill(bytes)),
      sleep: (ms, signal) => this.#sleep(ms, signal),
      mail: { connectSmtp: unreachable, connectImap: unreachable },
      lookup: async () => ['203.0.113.1'],
      lookupMail: async () => [],
      lookupText: async () => [],
      secrets: createSecretBox([secretKey]),
      log: this.#createLog(),
      metrics,
      ...context,
    })
    return { ...ctx, db }
  }

  #look(): number {
    try {
      return this.#world.scheduler.look()
    } catch (error) {
      if (error instanceof EndlessLoop) this.#world.violate(`${this.label}: ${error.message}`)
      throw error
    }
  }

  #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const wake = () => resolve()
      signal?.addEventListener('abort', wake, { once: true })
      const over = () => {
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      this.#world.scheduler.after(Math.max(shortestMs, ms), this, over, this.#waitOf(ms))
    })
  }

  #createLog(): Log {
    const write = (level: string) => (fields: Record<string, unknown>, message: string) => {
      const { error, code } = fields
      this.#world.trace.add(this.label, `${level}: ${message} (${code ?? error ?? ''})`)
      this.#world.observer.logged(this, fields)
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

/** Of a real timer: whoever waits for less would do so for ever where time is exact. */
const shortestMs = 1
const secretKey = Buffer.alloc(32, 7)
const metrics = createMetrics()
