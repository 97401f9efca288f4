import { ByteStrings, type NumberedTerms } from '../terms/index.ts'
import { contactColumns } from './contact-columns.ts'
import type { FullBatch, Rejection } from './full-batch.ts'
import type { NamedCompany } from './named-companies.ts'
import { RowBytes } from './row-bytes.ts'
import type { TermMemory } from './shared-memory.ts'

const linkedinColumn = contactColumns.indexOf('linkedin_url')

/** The rows that are written in one transaction, as they were read. */
export class ReadBatch {
  readonly isLast: boolean
  readonly lastRow: number
  readonly rejections: Rejection[]
  readonly words: string[]
  /** Those that its rows name, each once. */
  readonly companies: NamedCompany[]
  /** The rows that are about a company alone, and its place. */
  readonly companyRows: FullBatch['companyRows']
  /** Where its contacts are, each once. */
  readonly contacts: Uint32Array
  readonly hasOthers: boolean
  readonly isToldApart: boolean
  readonly rows: RowBytes
  /** Of its contacts. */
  readonly terms: NumberedTerms
  /** Of its companies, as the rows tell of them. */
  readonly companyTerms: NumberedTerms
  readonly #rowNumbers: Uint32Array
  readonly #employers: Uint32Array

  constructor(full: FullBatch, companies: NamedCompany[]) {
    this.isLast = full.isLast
    this.lastRow = full.lastRow
    this.rejections = full.rejections
    this.words = full.words
    this.companies = companies
    this.companyRows = full.companyRows
    this.contacts = full.contacts
    this.hasOthers = full.hasOthers
    this.isToldApart = full.isToldApart
    this.rows = new RowBytes(full.rows)
    this.terms = termsIn(full.terms)
    this.companyTerms = termsIn(full.companies.terms)
    this.#rowNumbers = full.rowNumbers
    this.#employers = full.employers
  }

  /** In the file. */
  rowNumber = (at: number) => this.#rowNumbers[at] as number
  /** The place of the company; -1 for none. */
  employer = (at: number) => (this.#employers[at] as number) - 1
  key = (at: number) => this.rows.key(at)
  linkedin = (at: number) => this.rows.texts(at, contactColumns.length)[linkedinColumn] ?? null
}

function termsIn({ bytes, ends, size, lists }: TermMemory): NumberedTerms {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  return { terms: new ByteStrings(buffer, ends, size), lists }
}
