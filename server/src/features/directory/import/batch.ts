import { BlockBuilder, TermLists } from '../term-index/index.ts'
import type { Company } from './companies.ts'
import { type ContactRow, textFields } from './contacts.ts'
import { KnownText } from './known-text.ts'
import { Rows } from './rows.ts'

/** In the order of the fields of a row. */
export const contactColumns = [
  ...['key', ...textFields.map(({ name }) => name)],
  ...['linkedin_url', 'email', 'email_status', 'has_email'],
]

const linkedinColumn = contactColumns.indexOf('linkedin_url')

export interface Rejection {
  row: number
  reason: string
}

/**
 * The rows that are written in one transaction, and the terms they are found by. It is used again for
 * others: memory of this size that comes and goes is not given back in time.
 */
export class Batch {
  /** Counted from 0 in this import. */
  number = 0
  readonly builder = new BlockBuilder()
  /** Those that its rows name, each once. */
  companies: Company[] = []
  rejections: Rejection[] = []
  /** That no batch before it had. */
  words: string[] = []
  /** The last row of the file that was looked at. */
  lastRow = 0
  #capacity = 0
  #numbers: number[] = []
  #employers: number[] = []
  #companyBytes = 0
  #companyRows: { row: number; place: number }[] = []
  readonly #rows = new Rows()
  readonly terms = new TermLists()

  /** Begins again, empty. */
  begin(number: number, capacity: number): this {
    this.number = number
    this.#capacity = capacity
    this.companies = []
    this.rejections = []
    this.words = []
    this.lastRow = 0
    this.#numbers = []
    this.#employers = []
    this.#companyBytes = 0
    this.#companyRows = []
    this.#rows.clear()
    this.terms.clear()
    this.builder.clear()
    return this
  }

  get size(): number {
    return this.#numbers.length
  }

  /** The rows that are about a company alone, and its place. */
  get companyRows(): readonly { row: number; place: number }[] {
    return this.#companyRows
  }

  get isFull(): boolean {
    const contacts = Math.max(this.size, this.companies.length)
    const rows = Math.max(contacts, this.#companyRows.length, this.rejections.length)
    if (rows >= this.#capacity) return true
    return this.#rows.fields.length > rowsBytesMax || this.#companyBytes > companyBytesMax
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

  add(row: number, contact: ContactRow, employer: Company | undefined) {
    this.#add(row, contact, employer ? this.name(employer) : -1)
  }

  #add(number: number, contact: ContactRow, place: number) {
    this.#numbers.push(number)
    this.#employers.push(place)
    const { builder } = this
    const { fields } = this.#rows
    const { terms } = this
    const { email, has_email } = contact
    fields.text(contact.key)
    for (const known of contact.texts) {
      known.copyTo(fields)
      terms.push(known.termsIn(builder))
    }
    fields.text(contact.linkedin_url)
    fields.text(email)
    fields.text(contact.email_status)
    fields.boolean(has_email)
    this.#rows.end()
    terms.push(builder.addressTerms(email, has_email, this.companies[place]?.record.domain))
    terms.end()
  }

  /** In the file. */
  rowNumber = (at: number) => this.#numbers[at] as number
  /** The place of the company; -1 for none. */
  employer = (at: number) => this.#employers[at] as number
  fields = (at: number) => this.#rows.at(at)
  key = (at: number) => this.#rows.key(at)
  linkedin = (at: number) => this.#rows.texts(at).at(linkedinColumn) ?? null

  /**
   * Where its contacts are, each once, in the order of their keys: neighbours in the table are then
   * neighbours in the index of keys, which would otherwise cost more than all the rest.
   */
  contacts(): number[] {
    const order = this.#rows.order()
    const contacts: number[] = []
    for (const at of order) {
      const before = contacts.at(-1)
      if (before !== undefined && this.#rows.hasSameKey(before, at)) {
        contacts[contacts.length - 1] = this.#unite(before, at)
      } else contacts.push(at)
    }
    return contacts
  }

  /** Of two rows about one contact: what the later one says, and else what the earlier one says. */
  #unite(earlier: number, later: number): number {
    const [old, young] = [this.#rows.texts(earlier), this.#rows.texts(later)]
    const said = old.map((value, i) => young[i] ?? value)
    const [linkedin_url = null, email = null, email_status = null] = said.slice(-4)
    const texts = textFields.map(({ field }, i) => new KnownText(field, said[i + 1] ?? null))
    const has_email = old.at(-1) === '\u0001' || young.at(-1) === '\u0001'
    const place = this.employer(later) === -1 ? this.employer(earlier) : this.employer(later)
    const contact = { key: said[0] ?? '', texts, linkedin_url, email, email_status, has_email }
    this.#add(this.rowNumber(later), contact, place)
    return this.size - 1
  }
}

const rowsBytesMax = 1 << 26
/** Several times as much memory is needed for them. */
const companyBytesMax = 1 << 23
