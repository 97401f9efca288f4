import type { Batch } from './batch.ts'
import { CompanyBook } from './companies.ts'
import { ContactReader } from './contacts.ts'
import type { ReadOfBatch } from './full-batch.ts'
import type { SeenKeys } from './seen-keys.ts'
import type { Table } from './table.ts'
import { uniteRepeats } from './unite.ts'
import { Unfit } from './values.ts'
import { Vocabulary } from './vocabulary.ts'

/** Has the keys of all who are in the directory; undefined: nobody knows them. May be one for both. */
export interface SeenBefore {
  contacts: SeenKeys | undefined
  companies: SeenKeys | undefined
}

/** Puts what the row in view says into a batch. */
export class RowReader {
  readonly #table: Table
  readonly #vocabulary = new Vocabulary()
  readonly #companies: CompanyBook
  readonly #contacts: ContactReader
  /** As long as no contact came in two batches. */
  #seen: SeenKeys | undefined

  constructor(table: Table, { contacts, companies }: SeenBefore) {
    this.#table = table
    this.#seen = contacts
    this.#companies = new CompanyBook(table.columns.at, this.#vocabulary, companies)
    this.#contacts = new ContactReader(table.columns.at, this.#vocabulary)
  }

  read(batch: Batch) {
    const { row, number } = this.#table
    batch.lastRow = number
    try {
      if (row.fault !== undefined) throw new Unfit(row.fault)
      if (row.length > 0) this.#take(batch)
    } catch (error) {
      if (!(error instanceof Unfit)) throw error
      // A spreadsheet leaves rows of nothing but separators behind.
      if (row.fault === undefined && row.isBlank()) return
      batch.rejections.push({ row: number, reason: error.message })
    }
  }

  /** Nothing more goes into the batch. */
  close(batch: Batch): ReadOfBatch {
    if (this.#seen?.isFull) this.#seen = undefined
    const { size } = batch
    const contacts = this.#seen && batch.repeats === 0 ? inOrder(size) : uniteRepeats(batch)
    const hasOthers = batch.repeats > size - contacts.length
    if (hasOthers) this.#seen = undefined
    return {
      contacts,
      hasOthers,
      isToldApart: this.#seen !== undefined,
      words: this.#vocabulary.take(),
      forgetsOthers: this.#companies.forgetBefore(batch.number),
    }
  }

  #take(batch: Batch) {
    const { row, number, columns } = this.#table
    const company = this.#companies.read(row)
    if (columns.kind === 'contacts') {
      const contact = this.#contacts.read(row, company)
      if (this.#seen?.add(contact.key)) batch.repeats++
      batch.add(number, contact, company ? batch.name(company) : -1)
    } else if (company) batch.addCompany(number, company)
    else throw new Unfit('neither a name nor a domain')
  }
}

const inOrder = (size: number) => Uint32Array.from({ length: size }, (_, at) => at)
