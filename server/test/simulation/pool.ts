import type { Pool } from '../../src/kernel/db/db.ts'
import type { Backend } from './backends.ts'
import { ConnectionLost, type Outcome, type Result } from './database-server.ts'
import type { SimulatedProcess } from './process.ts'
import type { World } from './world.ts'

/** What a connection does on behalf of: the action of the workload whose commit is to be known. */
export interface Task {
  beganAt?: number
  committedAt?: number
}

/** A call of the code under test, before a fault had its way with it. */
export interface Call {
  process: SimulatedProcess
  text: string
  values: readonly unknown[]
  connection: Connection
}

/** A connection as the code under test holds it: each statement is a gate, and so is its answer. */
export class Connection {
  readonly backend: Backend
  readonly task: Task | undefined
  /** Sent, and not yet executed. */
  #sent: { text: string; execute: () => Promise<void> } | undefined
  readonly #world: World
  readonly #process: SimulatedProcess

  constructor(world: World, process: SimulatedProcess, backend: Backend, task?: Task) {
    this.#world = world
    this.#process = process
    this.backend = backend
    this.task = task
  }

  query(text: string, values: readonly unknown[] = []): Promise<Result> {
    const { fault } = this.#world
    if (!fault) return this.send(text, values)
    return fault({ process: this.#process, text, values, connection: this })
  }

  /** As it is, without the fault. */
  send(text: string, values: readonly unknown[] = []): Promise<Result> {
    const { scheduler, weather } = this.#world
    return new Promise((resolve, reject) => {
      const answered = ({ result, error }: Outcome) => {
        scheduler.after(weather.latencyMs(), this.#process, () =>
          error ? reject(error) : resolve(result),
        )
      }
      const execute = () => this.#execute(text, values, answered)
      this.#sent = { text, execute }
      scheduler.after(weather.statementMs(this.#process.role, text), null, async () => {
        if (this.#sent?.execute === execute) await execute()
      })
    })
  }

  /** The process died: what it sent last reaches the server, or does not. */
  async cut(reachesServer: boolean) {
    const sent = this.#sent
    if (reachesServer && sent) await sent.execute()
    this.#sent = undefined
  }

  async #execute(
    text: string,
    values: readonly unknown[],
    answered: (outcome: Outcome) => void,
  ): Promise<void> {
    this.#sent = undefined
    const { server, weather, chronicle } = this.#world
    const { backend } = this
    const reset = weather.reset()
    if (reset === 'before') {
      await server.terminate(backend)
      this.#note(text, values, 'the connection broke before')
      answered({ error: new ConnectionLost() })
      return
    }
    await server.execute({
      backend,
      text,
      values,
      executed: async (outcome) => {
        const { result, error } = outcome
        this.#note(text, values, result ? `${result.rowCount ?? '-'}` : describe(error))
        if (result) await chronicle.executed(this.#process, this, text, values, result)
        if (backend.inTransaction || text === 'commit') this.#world.tempt?.(this.#process)
        if (result) this.#disorder(text, result)
        if (reset === 'after') {
          this.#note(text, values, 'the connection broke after')
          await server.terminate(backend)
        }
        answered(reset === 'after' || backend.broken ? { error: new ConnectionLost() } : outcome)
      },
    })
    if (server.isParked(backend)) this.#note(text, values, 'waits for a lock')
  }

  /** Rows whose order a statement leaves open come in any order. */
  #disorder(text: string, { rows }: Result) {
    if (rows.length < 2 || /order by/i.test(text)) return
    rows.sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
    this.#world.random.shuffle(rows)
  }

  #note(text: string, values: readonly unknown[], what: string) {
    const label = text
      .replace(/\/\*.*?\*\//gs, '')
      .replace(/\s+/g, ' ')
      .trim()
      .slice(0, 70)
    this.#world.trace.add(
      this.#world.scheduler.nowMs,
      this.#process.label,
      `${label} → ${what}`,
      JSON.stringify(values, withoutSealed),
    )
  }
}

const describe = (error: Error | undefined) =>
  (error as { code?: string } | undefined)?.code ?? error?.name ?? 'failed'

/** Sealed values hold random bytes of the system. */
const withoutSealed = (_key: string, value: unknown) =>
  value !== null && typeof value === 'object' && 'type' in value && value.type === 'Buffer'
    ? 'sealed'
    : value

const sortKey = (row: object) => JSON.stringify(row, withoutSealed)

/** A process's pool. Each handle shares its connections and names what they work for. */
export class SimulatedPool {
  readonly connections = new Set<Connection>()
  readonly #world: World
  readonly #process: SimulatedProcess
  readonly #idle: Backend[] = []
  readonly #waiting: ((backend: Backend) => void)[] = []
  #count = 0

  constructor(world: World, process: SimulatedProcess) {
    this.#world = world
    this.#process = process
  }

  handle(task?: Task): Pool {
    const connect = async () => {
      const connection = new Connection(this.#world, this.#process, await this.#take(), task)
      this.connections.add(connection)
      return Object.assign(connection, {
        release: (broken?: boolean) => this.#release(connection, broken === true),
      })
    }
    const query = async (text: string, values: unknown[]) => {
      const connection = await connect()
      try {
        return await connection.query(text, values)
      } finally {
        connection.release(connection.backend.broken)
      }
    }
    const pool = { connect, query, end: async () => undefined }
    return { ...pool, totalCount: 0, idleCount: 0, waitingCount: 0 } as unknown as Pool
  }

  /** A connection that is not counted, for faults that work beside a transaction. */
  async aside<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const backend = await this.#opened()
    const connection = new Connection(this.#world, this.#process, backend)
    this.connections.add(connection)
    const result = await work(connection)
    this.connections.delete(connection)
    this.#idle.push(backend)
    this.#count += 1
    return result
  }

  /** Ends every connection, as the death of the process does. */
  async cut(reachesServer: () => boolean) {
    for (const connection of this.connections) await connection.cut(reachesServer())
    for (const { backend } of this.connections) await this.#world.server.terminate(backend)
    for (const backend of this.#idle) await this.#world.backends.keep(backend)
    this.connections.clear()
  }

  async #take(): Promise<Backend> {
    const idle = this.#idle.pop()
    if (idle && !idle.broken) return idle
    if (idle) this.#count -= 1
    if (this.#count < connectionsMax) {
      this.#count += 1
      return this.#opened()
    }
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #opened(): Promise<Backend> {
    const { scheduler, weather, backends } = this.#world
    return new Promise((resolve) => {
      scheduler.after(weather.latencyMs(), this.#process, async () =>
        resolve(await backends.open()),
      )
    })
  }

  #release(connection: Connection, broken: boolean) {
    this.connections.delete(connection)
    const { backend } = connection
    if (broken || backend.broken) {
      this.#count -= 1
      this.#world.scheduler.after(0, null, () => this.#world.server.terminate(backend))
      const next = this.#waiting.shift()
      if (next) void this.#take().then(next)
      return
    }
    const next = this.#waiting.shift()
    if (next) next(backend)
    else this.#idle.push(backend)
  }
}

const connectionsMax = 6
