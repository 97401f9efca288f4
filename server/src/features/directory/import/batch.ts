import { addressKey, companyKey } from '../identity.ts'
import { type CompanyRecord, type ContactRecord, merge } from '../records.ts'
import type { Columns } from './columns.ts'
import { keyWithoutAddress, readCompany, readContact } from './read-row.ts'
import type { Row } from './table.ts'
import { InvalidValue } from './values.ts'

export interface BatchContact {
  /** Of the file, all that are about this contact. */
  rows: number[]
  record: ContactRecord
  /** The key of the company. */
  company: string | undefined
  /** Folded: it is none of theirs, or no longer one. */
  wrongAddress: string | undefined
}

export interface Rejection {
  row: number
  reason: string
}

/** The rows that are written in one transaction. */
export class Batch {
  /** By their keys: what rows of one key say is united. */
  readonly contacts = new Map<string, BatchContact>()
  readonly companies = new Map<string, CompanyRecord>()
  /** Rows that are about a company alone, and its key. */
  readonly companyRows: { row: number; key: string }[] = []
  readonly rejections: Rejection[] = []
  /** The last row of the file that was looked at. */
  lastRow = 0
  #rows = 0
  #characters = 0
  readonly #columns: Columns
  readonly #rowsMax: number

  constructor(columns: Columns, rowsMax: number) {
    this.#columns = columns
    this.#rowsMax = rowsMax
  }

  get isFull(): boolean {
    return this.#rows >= this.#rowsMax || this.#characters >= charactersMax
  }

  add(row: Row) {
    this.lastRow = row.number
    this.#rows++
    for (const field of row.fields) this.#characters += field?.length ?? 0
    try {
      if (row.fault !== undefined) throw new InvalidValue(row.fault)
      this.#take(row)
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error
      // A spreadsheet leaves rows of nothing but separators behind.
      if (row.fault === undefined && row.fields.every((field) => !field?.trim())) return
      this.rejections.push({ row: row.number, reason: error.message })
    }
  }

  #take(row: Row) {
    const { kind, at } = this.#columns
    const said = readCompany(row, at)
    const company = said && companyKey(said.domain, said.name)
    const contact = kind === 'contacts' ? readContact(row, at, company) : undefined
    if (!contact && company === undefined) throw new InvalidValue('neither a name nor a domain')
    for (const key of [company, contact?.key]) {
      if (key && Buffer.byteLength(key) > keyBytesMax) throw new InvalidValue(keyTooLong)
    }
    if (said && company !== undefined) {
      const known = this.companies.get(company)
      this.companies.set(company, known ? merge(known, said) : said)
      if (!contact) this.companyRows.push({ row: row.number, key: company })
    }
    if (!contact) return
    const { record, wrongAddress } = contact
    const underAddress = wrongAddress && addressKey(wrongAddress)
    const bare = underAddress && underAddress !== contact.key && this.#takeBare(underAddress)
    const key = underAddress && this.contacts.has(underAddress) ? underAddress : contact.key
    const known = this.contacts.get(key) ?? (bare || undefined)
    const rows = known?.rows ?? []
    if (bare && bare !== known) rows.push(...bare.rows)
    rows.push(row.number)
    this.contacts.set(key, {
      rows,
      record: known ? mergeContact(key, known.record, { record, wrongAddress }) : record,
      company: company ?? known?.company,
      wrongAddress: wrongAddress ?? (record.email === null ? known?.wrongAddress : undefined),
    })
  }

  /** Of whom nothing is known but a wrong address: by what a row says more of them they are known from now on. */
  #takeBare(key: string): BatchContact | undefined {
    const bare = this.contacts.get(key)
    if (!bare || bare.record.email !== null) return undefined
    if (keyWithoutAddress(bare.record, bare.company) !== undefined) return undefined
    this.contacts.delete(key)
    return bare
  }
}

/** An index takes no longer ones. */
const keyBytesMax = 2000
const keyTooLong = 'its name, its company or its profile is too long'

/** Of descriptions of companies 20,000 rows would take hundreds of megabytes. */
const charactersMax = 1 << 23

/** What is known of a contact, with what a row says. An address that it calls wrong is known no more. */
export function mergeContact(
  key: string,
  known: ContactRecord,
  { record, wrongAddress }: Pick<BatchContact, 'record' | 'wrongAddress'>,
): ContactRecord {
  const isWrong = wrongAddress !== undefined && key === addressKey(wrongAddress)
  const left = { ...known, email: null, email_status: null, has_email: false }
  return merge(isWrong ? left : known, record)
}
