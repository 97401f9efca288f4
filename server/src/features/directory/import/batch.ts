import type { CopyBuffer } from '../../../kernel/db/copy-buffer.ts'
import { TermLists, TermNumbers } from '../terms/index.ts'
import type { ByteText } from './byte-text.ts'
import type { Company } from './companies.ts'
import { CompanyTelling } from './company-telling.ts'
import { contactCopyColumns } from './contact-columns.ts'
import type { ContactRow } from './contacts.ts'
import type { FullBatch, ReadOfBatch, Rejection } from './full-batch.ts'
import type { KnownText } from './known-text.ts'
import { rowTail } from './row-bytes.ts'
import { Rows } from './rows.ts'
import { SharedNumbers, SharedTerms } from './shared-memory.ts'

/**
 * The rows that are written in one transaction, and the terms they are found by. It is used again for
 * others: memory of this size that comes and goes is not given back in time.
 */
export class Batch {
  /** Counted from 0 in this import. */
  number = 0
  numbers = new TermNumbers()
  /** Those that its rows name, each once. */
  companies: Company[] = []
  rejections: Rejection[] = []
  /** The last row of the file that was looked at. */
  lastRow = 0
  /** Rows whose key was seen before, in this batch or earlier. */
  repeats = 0
  readonly rows = new Rows(contactCopyColumns.length)
  readonly terms = new TermLists(1 << 20)
  readonly #rowNumbers = new SharedNumbers()
  /** The places of their companies and one; 0 for none. */
  readonly #employers = new SharedNumbers()
  readonly #told = new CompanyTelling()
  #tail: Buffer = Buffer.alloc(0)
  readonly #sharedTerms = new SharedTerms()
  #capacity = 0
  #companyBytes = 0
  #companyRows: { row: number; place: number }[] = []

  /**
   * Begins again, empty; with the numbers of an earlier one, what both have is known already.
   *
   * @param at when its contacts are said to be written
   */
  begin(
    number: number,
    { capacity, at, isSample }: { capacity: number; at: Date; isSample: boolean },
    numbers: TermNumbers,
  ): this {
    this.number = number
    this.numbers = numbers
    this.companies = []
    this.rejections = []
    this.lastRow = 0
    this.repeats = 0
    this.#tail = rowTail(at, isSample)
    this.rows.clear(this.#tail)
    this.terms.clear()
    this.#rowNumbers.clear()
    this.#employers.clear()
    this.#capacity = capacity
    this.#companyBytes = 0
    this.#companyRows = []
    return this
  }

  get size(): number {
    return this.#rowNumbers.length
  }

  get isFull(): boolean {
    const contacts = Math.max(this.size, this.companies.length)
    const rows = Math.max(contacts, this.#companyRows.length, this.rejections.length)
    if (rows >= this.#capacity) return true
    return this.rows.fields.length > rowsBytesMax || this.#companyBytes > companyBytesMax
  }

  /** @returns its place among the companies of the batch */
  name(company: Company): number {
    if (company.batch !== this.number) {
      company.batch = this.number
      company.place = this.companies.push(company) - 1
      this.#companyBytes += company.bytes
    }
    return company.place
  }

  addCompany(row: number, company: Company) {
    this.#companyRows.push({ row, place: this.name(company) })
  }

  /** @param place of the company; -1 for none */
  add(number: number, contact: ContactRow, place: number) {
    this.#rowNumbers.push(number)
    this.#employers.push(place + 1)
    const { numbers, rows, terms } = this
    const { fields } = rows
    const { row, texts, email } = contact
    rows.start()
    writeText(fields, contact.key)
    for (let i = 0; i < texts.length; i++) {
      const known = texts[i] as KnownText
      known.copyTo(fields, row)
      known.addTerms(terms, numbers)
    }
    writeText(fields, contact.linkedin_url)
    writeText(fields, email)
    fields.text(contact.email_status)
    fields.boolean(contact.has_email)
    rows.end(place !== -1)
    const domain = this.companies[place]?.record.domain
    // An address at the company's own domain is found by the terms of the company.
    const isOwn = email.isNull || (domain && email.isAt(domain))
    terms.push(numbers.addressTerms(isOwn ? null : email.toString(), contact.has_email))
    terms.end()
  }

  /** In the file. */
  rowNumber = (at: number) => this.#rowNumbers.values[at] as number
  /** The place of the company; -1 for none. */
  employer = (at: number) => (this.#employers.values[at] as number) - 1

  /** For the other thread, which has the memory of the batch until the batch begins again. */
  full(more: ReadOfBatch, companyNumbers: TermNumbers, isLast: boolean): FullBatch {
    return {
      ...more,
      number: this.number,
      isLast,
      lastRow: this.lastRow,
      rejections: this.rejections,
      companies: this.#told.tell(this.companies, this.#tail, companyNumbers),
      companyRows: this.#companyRows,
      rows: this.rows.memory(),
      rowNumbers: this.#rowNumbers.values,
      employers: this.#employers.values,
      terms: this.#sharedTerms.of(this.numbers.terms, this.terms),
    }
  }
}

function writeText(fields: CopyBuffer, text: ByteText) {
  if (text.isNull) fields.null()
  else fields.textFrom(text.bytes, text.start, text.end)
}

const rowsBytesMax = 1 << 26
/** Several times as much memory is needed for them. */
const companyBytesMax = 1 << 23
