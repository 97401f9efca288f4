import type pg from 'pg'
import { NamedClient } from '../../../src/kernel/db/client.ts'

export interface Result {
  rows: Record<string, unknown>[]
  rowCount: number | null
  command: string
}

/** One real connection of a simulated process. */
export class Backend {
  readonly pid: number
  inTransaction = false
  /** Its server process was ended. */
  broken = false
  readonly closed: Promise<void>
  readonly #client: NamedClient
  readonly #nameOf: (text: string) => string
  #beginning: string | undefined
  #sent = 0
  #answered = 0
  #rested: (() => void)[] = []

  constructor(client: NamedClient, nameOf: (text: string) => string) {
    this.#client = client
    this.#nameOf = nameOf
    this.pid = (client as unknown as { processID: number }).processID
    client.connection.on('readyForQuery', () => {
      this.#answered += 1
      if (this.#isAtRest) this.#rest()
    })
    // The server closes a connection last, when its locks are free.
    this.closed = new Promise((resolve) => {
      client.once('end', () => {
        this.broken = true
        this.#rest()
        resolve()
      })
    })
  }

  /**
   * Resolves when the server is ready for the next statement. That is later than its error: a failed
   * statement reports first and gives its locks back after that.
   */
  async run(text: string, values: readonly unknown[] = []): Promise<Result> {
    if (this.broken) throw new Error('the connection is closed')
    const { stream } = this.#client.connection
    stream.cork()
    if (this.#beginning) this.#send(this.#beginning, []).catch(() => undefined)
    this.#beginning = undefined
    const answer = this.#send(text, values)
    stream.uncork()
    try {
      return await answer
    } finally {
      if (!this.#isAtRest) await new Promise<void>((resolve) => this.#rested.push(resolve))
    }
  }

  /** Sent together with the next statement: by itself a BEGIN does nothing. */
  begin(text: string): Result {
    this.#beginning = text
    return { rows: [], rowCount: null, command: 'BEGIN' }
  }

  /** Takes back what it was in the middle of. */
  async rollBack() {
    if (this.inTransaction && !this.#beginning) await this.run('rollback')
    this.#beginning = undefined
    this.inTransaction = false
  }

  async end() {
    await this.#client.end()
  }

  #send(text: string, values: readonly unknown[]): Promise<Result> {
    this.#sent += 1
    // A text without a value is a BEGIN or the like: there is nothing to prepare.
    const query = values.length > 0 ? { name: this.#nameOf(text), text, values: [...values] } : text
    return this.#client.query(query) as unknown as Promise<Result>
  }

  get #isAtRest(): boolean {
    return this.broken || this.#sent === this.#answered
  }

  #rest() {
    for (const resolve of this.#rested.splice(0)) resolve()
  }
}

/**
 * The server decides nothing by time or by what it remembers: it looks for no deadlock by itself,
 * keeps one plan for each statement, and plans it anew when the tables were emptied.
 */
const settings = `
  set synchronous_commit = off;
  set deadlock_timeout = '1d';
  set plan_cache_mode = force_generic_plan;
  set max_parallel_workers_per_gather = 0`

/** Real connections, kept from one simulation to the next. */
export class Backends {
  readonly #url: string
  readonly #admin: pg.Client
  readonly #free: Backend[] = []
  readonly #all = new Map<number, Backend>()
  readonly #names = new Map<string, string>()

  constructor(url: string, admin: pg.Client) {
    this.#url = url
    this.#admin = admin
  }

  async open(): Promise<Backend> {
    const free = this.#free.pop()
    if (free) return free
    // A BEGIN and the statement after it are sent without waiting between.
    const client = new NamedClient({ connectionString: this.#url, pipeline: true })
    client.on('error', () => undefined)
    await client.connect()
    const backend = new Backend(client, (text) => this.#nameOf(text))
    await backend.run(settings)
    this.#all.set(backend.pid, backend)
    return backend
  }

  /** Takes back one that is at rest. */
  async keep(backend: Backend) {
    if (backend.broken) return
    await backend.rollBack()
    this.#free.push(backend)
  }

  /** As when its process died: an open transaction is undone and its locks are free. */
  async terminate(backend: Backend) {
    if (!this.#all.delete(backend.pid)) return
    backend.inTransaction = false
    await this.#admin.query('select pg_terminate_backend($1)', [backend.pid])
    await backend.closed
  }

  /** Ends all that nobody took back. */
  async terminateLost() {
    const free = new Set(this.#free)
    for (const backend of [...this.#all.values()]) {
      if (!free.has(backend)) await this.terminate(backend)
    }
  }

  /** Only for a statement that waits: it ends with an error. */
  async cancel(backend: Backend) {
    await this.#admin.query('select pg_cancel_backend($1)', [backend.pid])
  }

  /**
   * Who holds the lock that this one waits for, or waits for it in front of it. Empty when it does
   * not wait, or only for a moment: for what a process of the server itself holds.
   */
  async listBlockers(backend: Backend): Promise<Backend[]> {
    const { rows } = await this.#admin.query<{ pids: number[] }>({
      name: 'list_blockers',
      text: 'select pg_blocking_pids($1) as pids',
      values: [backend.pid],
    })
    const pids = rows[0]?.pids ?? []
    return pids.flatMap((pid) => this.#all.get(pid) ?? [])
  }

  async close() {
    await Promise.all([...this.#all.values()].map((backend) => backend.end()))
  }

  #nameOf(text: string): string {
    const known = this.#names.get(text)
    if (known) return known
    const name = `statement_${this.#names.size}`
    this.#names.set(text, name)
    return name
  }
}
