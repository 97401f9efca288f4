import type pg from 'pg'
import type { NamedClient } from './client.ts'

/**
 * One connection that sends a statement without waiting for the answers to those before. For reads
 * of a row by key that every request makes: there the pool's hand-over costs more than the read, and
 * nobody waits long behind another. Opened at the first use, and again when it broke.
 */
export class Pipeline {
  readonly #create: () => NamedClient
  #opening: Promise<NamedClient> | undefined
  #ready: NamedClient | undefined
  #closed = false
  #gathering = false
  #waiting = 0

  /** @param create makes a client in the driver's pipeline mode */
  constructor(create: () => NamedClient) {
    this.#create = create
  }

  get isBusy(): boolean {
    return this.#waiting > 0
  }

  async query(text: string, values: unknown[]): Promise<pg.QueryResult> {
    this.#waiting += 1
    try {
      const client = this.#ready ?? (await this.#open())
      this.#gather(client)
      return await client.query(text, values)
    } finally {
      this.#waiting -= 1
    }
  }

  /** The statements of one turn leave in one write: a system call costs more than a statement. */
  #gather(client: NamedClient) {
    if (this.#gathering) return
    this.#gathering = true
    const { stream } = client.connection
    stream.cork()
    setImmediate(() => {
      this.#gathering = false
      stream.uncork()
    })
  }

  /** Fails what is under way; the next statement opens another connection. */
  cut(error: Error) {
    this.#ready?.connection.stream.destroy(error)
    this.#ready = undefined
  }

  async end() {
    this.#closed = true
    const client = this.#ready ?? (await this.#opening?.catch(() => undefined))
    await client?.end()
  }

  #open(): Promise<NamedClient> {
    if (this.#closed) throw new Error('the pipeline is closed')
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  async #connect(): Promise<NamedClient> {
    const client = this.#create()
    // What was under way fails with the connection; the next statement opens another.
    const forget = () => {
      if (this.#ready === client) this.#ready = undefined
    }
    client.on('error', forget)
    client.on('end', forget)
    await client.connect()
    this.#ready = client
    return client
  }
}
