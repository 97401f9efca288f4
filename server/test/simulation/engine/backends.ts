import { setTimeout as pause } from 'node:timers/promises'
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
  readonly #hesitate: () => Promise<void>
  #beginning: string | undefined
  #sent = 0
  #answered = 0
  #rested: (() => void)[] = []

  constructor(
    client: NamedClient,
    nameOf: (text: string) => string,
    hesitate: () => Promise<void>,
  ) {
    this.#client = client
    this.#nameOf = nameOf
    this.#hesitate = hesitate
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
    await this.#hesitate()
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
      await this.#hesitate()
    }
  }

  /** Sent together with the next statement: by itself a BEGIN does nothing. */
  begin(text: string): Result {
    this.#beginning = text
    return { rows: [], rowCount: null, command: 'BEGIN' }
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
 * keeps one plan for each statement, and plans it anew when the tables were emptied. As nobody counts
 * their rows, it takes large tables for small ones and would join 256 leases in a nested loop.
 */
const settings = `/* session: of the simulation's own server */
  set synchronous_commit = off;
  set deadlock_timeout = '1d';
  set plan_cache_mode = force_generic_plan;
  set max_parallel_workers_per_gather = 0;
  set enable_nestloop = off;
  set wal_compression = off`

/** Real connections, kept from one simulation to the next. */
export class Backends {
  readonly #url: string
  readonly #admin: pg.Client
  readonly #unsteady: boolean
  readonly #free: Backend[] = []
  /** How many of the free ones somebody has as his own. */
  #kept = 0
  readonly #all = new Map<number, Backend>()
  readonly #names = new Map<string, string>()

  /** Unsteady: connections are new or used, and answers quick or slow, by real chance. */
  constructor(url: string, admin: pg.Client, unsteady: boolean) {
    this.#url = url
    this.#admin = admin
    this.#unsteady = unsteady
  }

  /** One more, where one that was opened before will do. */
  async open(): Promise<Backend> {
    const isAnyFree = this.#free.length > this.#kept && !(this.#unsteady && Math.random() < 0.3)
    if (isAnyFree) return this.#pop()
    // A BEGIN and the statement after it are sent without waiting between.
    const client = new NamedClient({ connectionString: this.#url, pipeline: true })
    client.on('error', () => undefined)
    await client.connect()
    const backend = new Backend(
      client,
      (text) => this.#nameOf(text),
      () => this.#hesitate(),
    )
    await backend.run(settings)
    this.#all.set(backend.pid, backend)
    return backend
  }

  /** Takes back one that is at rest, for who has it open and does not use it. */
  keep(backend: Backend) {
    this.#free.push(backend)
    this.#kept += 1
  }

  /** One of those that were kept: the one used last, which has the most statements prepared. */
  take(): Backend {
    this.#kept -= 1
    return this.#pop()
  }

  /** So many were closed. */
  forget(count: number) {
    this.#kept -= count
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
    this.#kept = 0
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

  #pop(): Backend {
    const at = this.#unsteady ? Math.floor(Math.random() * this.#free.length) : -1
    const [backend] = this.#free.splice(at, 1)
    if (!backend) throw new Error('no connection is kept')
    return backend
  }

  async close() {
    await Promise.all([...this.#all.values()].map((backend) => backend.end()))
  }

  async #hesitate() {
    if (this.#unsteady && Math.random() < 0.1) await pause(Math.random() * 5)
  }

  #nameOf(text: string): string {
    const known = this.#names.get(text)
    if (known) return known
    const name = `statement_${this.#names.size}`
    this.#names.set(text, name)
    return name
  }
}
