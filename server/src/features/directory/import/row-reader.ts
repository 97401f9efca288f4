import type { Batch } from './batch.ts'
import { CompanyBook } from './companies.ts'
import { ContactReader } from './contacts.ts'
import type { SeenKeys } from './seen-keys.ts'
import type { Table } from './table.ts'
import { Unfit } from './values.ts'
import { Vocabulary } from './vocabulary.ts'

/** Puts what the row in view says into a batch. */
export class RowReader {
  readonly #table: Table
  readonly #vocabulary = new Vocabulary()
  readonly #companies: CompanyBook
  readonly #contacts: ContactReader

  readonly #seen: SeenKeys | undefined

  /** @param seen where the keys are noted, if anybody wants to know of repetitions */
  constructor(table: Table, seen: SeenKeys | undefined) {
    this.#table = table
    this.#seen = seen
    this.#companies = new CompanyBook(table.columns.at, this.#vocabulary)
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
  close(batch: Batch) {
    batch.words = this.#vocabulary.take()
    this.#companies.forgetBefore(batch.number)
  }

  #take(batch: Batch) {
    const { row, number, columns } = this.#table
    const company = this.#companies.read(row)
    if (columns.kind === 'contacts') {
      const contact = this.#contacts.read(row, company)
      batch.add(number, contact, company, this.#seen?.add(contact.key) ?? false)
    } else if (company) batch.addCompany(number, company)
    else throw new Unfit('neither a name nor a domain')
  }
}
