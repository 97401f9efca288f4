import type { Context } from '../../../kernel/context.ts'
import { CopyChunks, uuidBytes } from '../../../kernel/db/copy-buffer.ts'
import { createIdGenerator, timeOfId } from '../../../kernel/ids.ts'
import type { StoredCompany } from './named-companies.ts'
import type { KnownContact } from './queries.ts'
import type { ReadBatch } from './read-batch.ts'

/** The contacts of a batch as COPY takes them. */
export class ContactRows {
  readonly #ctx: Context
  readonly #batch: ReadBatch
  readonly #companyIds: (Buffer | undefined)[]

  constructor(ctx: Context, batch: ReadBatch, employers: (StoredCompany | undefined)[]) {
    this.#ctx = ctx
    this.#batch = batch
    this.#companyIds = employers.map((company) => company && uuidBytes(company.id))
  }

  /**
   * New contacts, numbered from `start` on. Their ids are UUIDv7 of one time that differ in a counter
   * in place of the last random bits (RFC 9562 §6.2, method 1): they grow with the numbers.
   *
   * @param newest their ids are greater, whatever the clocks of other machines said
   */
  *create(contacts: Uint32Array, start: number, newest: string | undefined): Generator<Buffer> {
    const least = newest ? timeOfId(newest).getTime() + 1 : 0
    const time = new Date(Math.max(least, this.#ctx.now().getTime()))
    const id = uuidBytes(createIdGenerator(() => time)())
    let count = 0
    yield* this.#rows(contacts, (at) => {
      id.writeUInt32BE(count, 12)
      this.#identify(at, id, start + count++)
    })
  }

  /** Contacts that are in the directory. */
  *change(known: Map<number, KnownContact>): Generator<Buffer> {
    yield* this.#rows(Uint32Array.from(known.keys()), (at) => {
      const { id, number } = known.get(at) as KnownContact
      this.#identify(at, uuidBytes(id), number)
    })
  }

  #identify(at: number, id: Buffer, number: number) {
    const company = this.#companyIds[this.#batch.employer(at)]
    this.#batch.rows.identify(at, id, number, company)
  }

  /** Rows that are neighbours in the batch are taken together. */
  *#rows(contacts: Uint32Array, identify: (at: number) => void): Generator<Buffer> {
    const chunks = new CopyChunks()
    const { rows } = this.#batch
    for (let from = 0; from < contacts.length; ) {
      const start = rows.startOf(contacts[from] as number)
      let end = start
      for (; from < contacts.length && end - start < runBytes; from++) {
        const at = contacts[from] as number
        if (rows.startOf(at) !== end) break
        identify(at)
        end = rows.endOf(at)
      }
      if (!chunks.takes(end - start)) yield chunks.end()
      chunks.rows.append(rows.bytes.subarray(start, end))
    }
    yield chunks.end()
  }
}

const runBytes = 1 << 16
