import type { Backend, Result } from './backends.ts'
import type { SimulatedProcess } from './process.ts'
import { ConnectionLost, type Outcome } from './statement.ts'
import type { World } from './world.ts'

/** What a connection does on behalf of: the action of a user whose commit is to be known. */
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
  #sent: { execute: () => Promise<void> } | undefined
  /** What the server answers from now on reaches nobody. */
  #isLost = false
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
    const { scheduler, environment } = this.#world
    return new Promise((resolve, reject) => {
      const answered = ({ result, error }: Outcome) => {
        scheduler.after(environment.latencyMs(), this.#process, () =>
          error ? reject(error) : resolve(result),
        )
      }
      const sent = { execute: () => this.#execute(text, values, answered) }
      this.#sent = sent
      scheduler.after(environment.statementMs(this.#process.role, text), null, async () => {
        if (this.#sent === sent) await sent.execute()
      })
    })
  }

  /** The process died: what it sent last reaches the server, or does not. */
  async cut(reachesServer: boolean) {
    const sent = this.#sent
    if (reachesServer && sent) await sent.execute()
    this.#sent = undefined
  }

  /** The server died: what was sent last is executed just before, or is not, and has no answer. */
  async lose(reachesServer: boolean) {
    this.#isLost = true
    const sent = this.#sent
    if (reachesServer && sent) await sent.execute()
    await this.#world.server.lose(this.backend)
  }

  async #execute(
    text: string,
    values: readonly unknown[],
    answered: (outcome: Outcome) => void,
  ): Promise<void> {
    this.#sent = undefined
    const { server, environment } = this.#world
    const { backend } = this
    const reset = environment.reset()
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
        await this.#executed(text, values, outcome)
        if (reset === 'after') {
          this.#note(text, values, 'the connection broke after')
          await server.terminate(backend)
        }
        answered(backend.broken || this.#isLost ? { error: new ConnectionLost() } : outcome)
      },
    })
    if (server.isParked(backend)) this.#note(text, values, 'waits for a lock')
  }

  async #executed(text: string, values: readonly unknown[], { result, error }: Outcome) {
    this.#note(text, values, result ? `${result.rowCount ?? '-'}` : describe(error))
    if (!result) return
    await this.#world.observer.executed({
      ...{ process: this.#process, connection: this },
      ...{ text, values, result },
    })
    if (text.includes('pg_notify') && result.rows.length > 0)
      this.#world.notify(String(values[0]), String(values[1]))
    if (this.backend.inTransaction || text === 'commit') this.#world.afterStatement?.(this.#process)
    this.#disorder(text, result)
  }

  /** Rows whose order a statement leaves open come in any order. */
  #disorder(text: string, { rows }: Result) {
    if (rows.length < 2 || /order by/i.test(text)) return
    const keyed = rows.map((row) => ({ key: keyOf(row), row }))
    keyed.sort((a, b) => (a.key < b.key ? -1 : 1))
    rows.splice(0, rows.length, ...this.#world.random.shuffle(keyed.map(({ row }) => row)))
  }

  #note(text: string, values: readonly unknown[], what: string) {
    this.#world.trace.add(
      this.#process.label,
      `${abridge(text)} → ${what}`,
      JSON.stringify(values, repeatable),
    )
  }
}

const abridged = new Map<string, string>()
function abridge(text: string): string {
  let short = abridged.get(text)
  if (short === undefined) {
    const bare = text.replace(/\/\*.*?\*\//gs, '').replace(/\s+/g, ' ')
    short = bare.trim().slice(0, 70)
    abridged.set(text, short)
  }
  return short
}

/** Most lists of many rows are of one column. */
function keyOf(row: Record<string, unknown>): string {
  const values = Object.values(row)
  const [value] = values
  if (values.length === 1 && typeof value !== 'object') return String(value)
  return JSON.stringify(row, repeatable)
}

const describe = (error: Error | undefined) =>
  (error as { code?: string } | undefined)?.code ?? error?.name ?? 'failed'

/** Sealed values hold random bytes of the system, and where a row lies vacuum has a say in. */
const repeatable = (_key: string, value: unknown) => {
  if (typeof value === 'string' && place.test(value)) return 'place'
  return value !== null && typeof value === 'object' && 'type' in value && value.type === 'Buffer'
    ? 'sealed'
    : value
}

const place = /^\(\d+,\d+\)$/
