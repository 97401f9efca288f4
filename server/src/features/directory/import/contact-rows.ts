import type { Context } from '../../../kernel/context.ts'
import { CopyBuffer, CopyChunks, uuidBytes } from '../../../kernel/db/copy-buffer.ts'
import { createIdGenerator, timeOfId } from '../../../kernel/ids.ts'
import type { Batch } from './batch.ts'
import type { StoredCompany } from './companies.ts'
import { contactCopyColumns, type KnownContact } from './queries.ts'

/** The contacts of a batch as COPY takes them. */
export class ContactRows {
  readonly #ctx: Context
  readonly #batch: Batch
  readonly #companyIds: (Buffer | undefined)[]
  readonly #tail: Buffer

  constructor(
    ctx: Context,
    batch: Batch,
    employers: (StoredCompany | undefined)[],
    isSample: boolean,
  ) {
    this.#ctx = ctx
    this.#batch = batch
    this.#companyIds = employers.map((company) => company && uuidBytes(company.id))
    const tail = new CopyBuffer(32)
    tail.timestamp(ctx.now())
    tail.boolean(isSample)
    this.#tail = tail.slice()
  }

  /**
   * New contacts, numbered from `start` on. Their ids are UUIDv7 of one time that differ in a counter
   * in place of the last random bits (RFC 9562 §6.2, method 1): they grow with the numbers.
   *
   * @param newest their ids are greater, whatever the clocks of other machines said
   */
  *create(contacts: number[], start: number, newest: string | undefined): Generator<Buffer> {
    const least = newest ? timeOfId(newest).getTime() + 1 : 0
    const time = new Date(Math.max(least, this.#ctx.now().getTime()))
    const id = uuidBytes(createIdGenerator(() => time)())
    let count = 0
    yield* this.#rows(contacts, () => {
      id.writeUInt32BE(count, 12)
      return { id, number: start + count++ }
    })
  }

  /** Contacts that are in the directory. */
  *change(known: Map<number, KnownContact>): Generator<Buffer> {
    yield* this.#rows([...known.keys()], (at) => {
      const { id, number } = known.get(at) as KnownContact
      return { id: uuidBytes(id), number }
    })
  }

  *#rows(
    contacts: number[],
    identify: (at: number) => { id: Buffer; number: number },
  ): Generator<Buffer> {
    const chunks = new CopyChunks()
    for (const at of contacts) {
      const fields = this.#batch.fields(at)
      if (!chunks.takes(fields.length + othersBytesMax)) yield chunks.end()
      const { rows } = chunks
      const { id, number } = identify(at)
      const company = this.#companyIds[this.#batch.employer(at)]
      rows.startRow(contactCopyColumns.length)
      rows.bytea(id)
      rows.integer(number)
      if (company) rows.bytea(company)
      else rows.null()
      rows.append(fields)
      rows.append(this.#tail)
    }
    yield chunks.end()
  }
}

/** Two ids, a number, a time and a flag. */
const othersBytesMax = 100
