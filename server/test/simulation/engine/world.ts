import type pg from 'pg'
import { hintChannel } from '../../../src/kernel/runner/hint.ts'
import type { Random } from '../../random.ts'
import type { Backends, Result } from './backends.ts'
import { type Conditions, Environment } from './conditions.ts'
import type { Call, Connection } from './connection.ts'
import { DatabaseServer } from './database-server.ts'
import type { Failovers, Promotion } from './failover.ts'
import type { SimulatedProcess } from './process.ts'
import { Scheduler } from './scheduler.ts'
import { type Print, Trace } from './trace.ts'

/** A statement that was executed, before anyone hears of it. */
export interface Executed {
  process: SimulatedProcess
  connection: Connection
  text: string
  values: readonly unknown[]
  result: Result
}

/** Sees what really happens, from outside. */
export interface Observer {
  executed(statement: Executed): Promise<void>
  /** A warning or an error that the code under test logged. */
  logged(process: SimulatedProcess, fields: Record<string, unknown>): void
  /** A standby follows no further. @returns what makes the observer forget what came later */
  remember?(): () => Promise<void>
  /** A standby took over. */
  promoted?(promotion: Promotion): void
}

/** A promise that was broken, and where. */
export interface Violation {
  step: number
  atMs: number
  what: string
}

/** What the simulated processes live in. */
export class World {
  readonly scheduler = new Scheduler()
  readonly random: Random
  readonly trace: Trace
  readonly environment: Environment
  readonly backends: Backends
  readonly server: DatabaseServer
  /** Looks at the database from outside; nothing that it does is a part of the simulation. */
  readonly admin: pg.Client
  /** Those that are alive. */
  readonly processes = new Set<SimulatedProcess>()
  readonly violations: Violation[] = []
  /** No database answers. */
  isDown = false
  /** When a runner died or was stopped last. */
  runnerEndedMs = Number.NEGATIVE_INFINITY
  /** Once the processes live. */
  failovers: Failovers | undefined
  observer: Observer = { executed: async () => undefined, logged: () => undefined }
  /** After each statement of a transaction, its COMMIT included: what may go wrong just then. */
  afterStatement: ((process: SimulatedProcess) => void) | undefined
  /** Stands between the code under test and the database. */
  fault: ((call: Call) => Promise<Result>) | undefined
  readonly #violationsMax: number

  constructor(
    { admin, backends }: { admin: pg.Client; backends: Backends },
    random: Random,
    conditions: Conditions,
    { print, violationsMax = 20 }: { print?: Print | undefined; violationsMax?: number },
  ) {
    this.#violationsMax = violationsMax
    this.random = random
    this.admin = admin
    this.backends = backends
    this.environment = new Environment(conditions, random.fork('weather'))
    this.trace = new Trace(this.scheduler, print)
    this.server = new DatabaseServer(backends, () => this.leaseTime())
  }

  /** By the database's clock, which is the right one. */
  time(): Date {
    return new Date(this.environment.conditions.startMs + this.scheduler.nowMs)
  }

  /**
   * The clock of leases: it stands still while time is skipped, as if whoever holds one had gone on
   * renewing it.
   */
  leaseTime(): Date {
    return new Date(this.time().getTime() - this.scheduler.skippedMs)
  }

  note(what: string) {
    this.trace.add('', what)
  }

  violate(what: string) {
    this.trace.add('', `BROKEN: ${what}`)
    if (this.violations.length === this.#violationsMax) return
    const { steps, nowMs } = this.scheduler
    this.violations.push({ step: steps, atMs: nowMs, what })
    if (this.violations.length === this.#violationsMax) this.scheduler.isOver = true
  }

  /** NOTIFY, as far as it gets. */
  notify(channel: string, payload: string) {
    for (const process of this.processes) {
      const hintMs = this.environment.hintMs()
      if (hintMs === undefined) continue
      if (channel === hintChannel && process.isListening)
        this.scheduler.after(hintMs, process, () => process.hear(payload))
    }
  }
}
