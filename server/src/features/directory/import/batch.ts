import type { Context } from '../../../kernel/context.ts'
import { CopyBuffer } from '../../../kernel/db/copy-buffer.ts'
import { BlockBuilder, TermLists } from '../term-index/index.ts'
import { ByteText } from './byte-text.ts'
import type { Company } from './companies.ts'
import { type ContactRow, textFields } from './contacts.ts'
import { KnownText } from './known-text.ts'
import { RowView } from './row-view.ts'
import { Rows } from './rows.ts'

/** In the order of the fields of a row. */
export const contactColumns = [
  ...['key', ...textFields.map(({ name }) => name)],
  ...['linkedin_url', 'email', 'email_status', 'has_email'],
]

export const contactCopyColumns = [
  ...['id', 'number', ...contactColumns],
  ...['company_id', 'timestamp_updated', 'sample'],
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
  builder = new BlockBuilder()
  /** Those that its rows name, each once. */
  companies: Company[] = []
  rejections: Rejection[] = []
  /** That no batch before it had. */
  words: string[] = []
  /** The last row of the file that was looked at. */
  lastRow = 0
  #capacity = 0
  #size = 0
  #numbers = new Uint32Array(1 << 16)
  #employers = new Int32Array(1 << 16)
  #companyBytes = 0
  #companyRows: { row: number; place: number }[] = []
  /** Rows whose key was seen before, in this batch or earlier. */
  repeats = 0
  #contacts: number[] | undefined
  #unions = 0
  readonly rows = new Rows(contactCopyColumns.length)
  readonly terms = new TermLists(1 << 20)
  /** Made when it is written. */
  readonly companyTerms = new TermLists()
  readonly #ctx: Context
  readonly #isSample: boolean

  constructor(ctx: Context, isSample: boolean) {
    this.#ctx = ctx
    this.#isSample = isSample
  }

  /** Begins again, empty; with the builder of an earlier one, what both have is known already. */
  begin(number: number, capacity: number, builder: BlockBuilder): this {
    this.number = number
    this.#capacity = capacity
    this.companies = []
    this.rejections = []
    this.words = []
    this.lastRow = 0
    this.#size = 0
    this.#companyBytes = 0
    this.#companyRows = []
    this.repeats = 0
    this.#contacts = undefined
    this.#unions = 0
    this.rows.clear(this.#tail())
    this.terms.clear()
    this.builder = builder
    return this
  }

  get size(): number {
    return this.#size
  }

  /** The rows that are about a company alone, and its place. */
  get companyRows(): readonly { row: number; place: number }[] {
    return this.#companyRows
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

  /** @param isRepeat its key was seen before */
  add(row: number, contact: ContactRow, employer: Company | undefined, isRepeat: boolean) {
    if (isRepeat) this.repeats++
    this.#add(row, contact, employer ? this.name(employer) : -1)
  }

  #add(number: number, contact: ContactRow, place: number) {
    this.#note(number, place)
    const { builder, rows, terms } = this
    const { fields } = rows
    const { row, texts, email } = contact
    rows.start()
    writeText(fields, contact.key)
    for (let i = 0; i < texts.length; i++) {
      const known = texts[i] as KnownText
      known.copyTo(fields, row)
      known.addTerms(terms, builder)
    }
    writeText(fields, contact.linkedin_url)
    writeText(fields, email)
    fields.text(contact.email_status)
    fields.boolean(contact.has_email)
    rows.end(place !== -1)
    const domain = this.companies[place]?.record.domain
    // An address at the company's own domain is found by the terms of the company.
    const isOwn = email.isNull || (domain && email.isAt(domain))
    terms.push(builder.addressTerms(isOwn ? null : email.toString(), contact.has_email))
    terms.end()
  }

  #note(number: number, place: number) {
    if (this.#size === this.#numbers.length) {
      this.#numbers = grown(this.#numbers)
      this.#employers = grown(this.#employers)
    }
    this.#numbers[this.#size] = number
    this.#employers[this.#size++] = place
  }

  /** In the file. */
  rowNumber = (at: number) => this.#numbers[at] as number
  /** The place of the company; -1 for none. */
  employer = (at: number) => this.#employers[at] as number
  key = (at: number) => this.rows.key(at)
  linkedin = (at: number) => this.#textsOf(at).at(linkedinColumn) ?? null

  /** Where its contacts are when no key was seen before: as they came. */
  inOrder = () => Array.from({ length: this.size }, (_, at) => at)

  /** Whether one is in an earlier batch, or was in the directory before. */
  get hasOthers(): boolean {
    if (this.repeats === 0) return false
    this.contacts()
    return this.repeats > this.#unions
  }

  /**
   * Where its contacts are, each once, in the order of their keys: neighbours in the table are then
   * neighbours in the index of keys, which would otherwise cost more than all the rest.
   */
  contacts(): number[] {
    this.#contacts ??= this.#united()
    return this.#contacts
  }

  #united(): number[] {
    const contacts: number[] = []
    for (const at of this.rows.order()) {
      const before = contacts.at(-1)
      if (before !== undefined && this.rows.hasSameKey(before, at)) {
        contacts[contacts.length - 1] = this.#unite(before, at)
        this.#unions++
      } else contacts.push(at)
    }
    return contacts
  }

  /** Of two rows about one contact: what the later one says, and else what the earlier one says. */
  #unite(earlier: number, later: number): number {
    const [old, young] = [this.#textsOf(earlier), this.#textsOf(later)]
    const said = old.map((value, i) => young[i] ?? value)
    const [linkedin_url = null, email = null, email_status = null] = said.slice(-4)
    const texts = textFields.map(({ field }, i) => new KnownText(field, said[i + 1] ?? null))
    const has_email = old.at(-1) === '\u0001' || young.at(-1) === '\u0001'
    const place = this.employer(later) === -1 ? this.employer(earlier) : this.employer(later)
    const [key, profile, address] = [said[0] ?? null, linkedin_url, email].map(ByteText.of)
    const about = { row: noRow, key, texts, linkedin_url: profile, email: address }
    this.#add(this.rowNumber(later), { ...about, email_status, has_email } as ContactRow, place)
    return this.size - 1
  }

  #textsOf = (at: number) => this.rows.texts(at, contactColumns.length)

  #tail(): Buffer {
    const tail = new CopyBuffer(32)
    tail.timestamp(this.#ctx.now())
    tail.boolean(this.#isSample)
    return tail.slice()
  }
}

/** What was united is in none. */
const noRow = new RowView()

function writeText(fields: CopyBuffer, text: ByteText) {
  if (text.isNull) fields.null()
  else fields.textFrom(text.bytes, text.start, text.end)
}

function grown<T extends Uint32Array | Int32Array>(numbers: T): T {
  const larger = numbers.constructor === Uint32Array ? Uint32Array : Int32Array
  const made = new larger(2 * numbers.length) as T
  made.set(numbers)
  return made
}

const rowsBytesMax = 1 << 26
/** Several times as much memory is needed for them. */
const companyBytesMax = 1 << 23
