import type pg from 'pg'
import { NamedClient } from '../../src/kernel/db/client.ts'

/** One real connection of a simulated process. */
export interface Backend {
  client: NamedClient
  pid: number
  inTransaction: boolean
  /** Its server process was ended. */
  broken: boolean
}

/** Real connections, kept from one simulation to the next. */
export class Backends {
  readonly #url: string
  readonly #admin: pg.Client
  readonly #free: Backend[] = []
  readonly #all = new Set<Backend>()

  constructor(url: string, admin: pg.Client) {
    this.#url = url
    this.#admin = admin
  }

  async open(): Promise<Backend> {
    const free = this.#free.pop()
    if (free) return free
    const client = new NamedClient({ connectionString: this.#url })
    client.on('error', () => undefined)
    await client.connect()
    await client.query('set synchronous_commit = off')
    const { processID: pid } = client as unknown as { processID: number }
    const backend: Backend = { client, pid, inTransaction: false, broken: false }
    this.#all.add(backend)
    return backend
  }

  isOurs(pid: number): boolean {
    return [...this.#all].some((backend) => backend.pid === pid)
  }

  /** Takes back one that is at rest. */
  async keep(backend: Backend) {
    if (backend.broken) return
    if (backend.inTransaction) await backend.client.query('rollback')
    backend.inTransaction = false
    this.#free.push(backend)
  }

  /** As when its process died: an open transaction is undone and its locks are free. */
  async terminate(backend: Backend) {
    if (backend.broken) return
    backend.broken = true
    backend.inTransaction = false
    this.#all.delete(backend)
    // The server closes a connection last, when its locks are free.
    const closed = new Promise<void>((resolve) => backend.client.once('end', resolve))
    await this.#admin.query('select pg_terminate_backend($1)', [backend.pid])
    await closed
  }

  async cancel(backend: Backend) {
    await this.#admin.query('select pg_cancel_backend($1)', [backend.pid])
  }

  /** Of a statement that waits for a lock: who holds it, or waits for it in front of it. */
  async listBlockers(backend: Backend): Promise<Backend[]> {
    const { rows } = await this.#admin.query<{ pids: number[] }>(
      'select pg_blocking_pids($1) as pids',
      [backend.pid],
    )
    const pids = rows[0]?.pids ?? []
    return [...this.#all].filter((other) => pids.includes(other.pid))
  }

  async close() {
    await Promise.all(this.#free.map((backend) => backend.client.end()))
  }
}
