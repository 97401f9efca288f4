import { CopyBuffer } from '../../../kernel/db/copy-buffer.ts'
import { companyKey } from '../identity.ts'
import { ByteTable, termsOf } from '../terms/index.ts'
import { ByteText } from './byte-text.ts'
import type { Columns, FieldName } from './columns.ts'
import { type CompanyRecord, isSameCompany, mergeCompanies, readCompany } from './records.ts'
import type { RowView } from './row-view.ts'
import type { SeenKeys } from './seen-keys.ts'
import { TextTable } from './text-table.ts'
import type { Vocabulary } from './vocabulary.ts'

/** A company that rows of this import name. */
export interface Company {
  /** By which the other thread knows it. */
  number: number
  key: string
  /** What the rows so far say of it. */
  record: CompanyRecord
  /** Whether the other thread has been told the record as it is. */
  isTold: boolean
  /** No row named it before, and the directory does not have it. */
  isNew: boolean
  /** What a row says of it, as long as it is in the file. */
  bytes: number
  /** The last batch in which it was named, and its place there. */
  batch: number
  place: number
}

/** The companies of the rows, as many as were named lately. */
export class CompanyBook {
  readonly #at: Columns['at']
  readonly #columns: number[]
  readonly #handles: number[]
  readonly #vocabulary: Vocabulary
  readonly #seen: SeenKeys | undefined
  readonly #byHandle = new TextTable<Entry>(companiesMax)
  readonly #keys = new ByteTable()
  /** By the numbers of their keys. */
  #companies: Company[] = []
  #count = 0
  /** Of the row before. */
  #last: Entry | undefined
  readonly #said = new CopyBuffer(1 << 20)
  #saidBytes = this.#said.slice()

  /** @param seen has the keys of all companies that are there; undefined: nobody knows them */
  constructor(at: Columns['at'], vocabulary: Vocabulary, seen: SeenKeys | undefined) {
    this.#vocabulary = vocabulary
    this.#seen = seen
    const columnsOf = (fields: FieldName[]) =>
      fields.map((field) => at[field]).filter((column) => column >= 0)
    this.#at = at
    this.#columns = columnsOf(companyFields)
    this.#handles = columnsOf(handleFields)
  }

  /**
   * The company that a row names, with what the row says of it taken in.
   *
   * @throws Unfit
   */
  read(row: RowView): Company | undefined {
    const handle = this.#handleOf(row)
    if (handle < 0) return undefined
    if (this.#said.length > bytesMax) this.#forgetRows()
    // Most exports go company by company.
    if (this.#last && this.#isRepeated(row, this.#last)) return this.#last.company
    const entry = this.#byHandle.get(row, handle)
    if (entry && this.#isRepeated(row, entry)) {
      this.#last = entry
      return entry.company
    }
    const record = readCompany(row, this.#at)
    if (!record) return undefined
    const company = this.#take(companyKey(record.domain, record.name), record)
    const said = this.#say(row, company)
    company.bytes = Math.max(company.bytes, this.#said.length - said.start)
    if (entry) Object.assign(entry, said)
    else this.#byHandle.set(row, handle, said)
    this.#last = entry ?? said
    return company
  }

  /**
   * Forgets those that were not named since `batch`, once there are many.
   *
   * @returns whether it did
   */
  forgetBefore(batch: number): boolean {
    let bytes = 0
    for (const company of this.#companies) bytes += company.bytes
    if (this.#companies.length <= companiesMax && bytes <= bytesMax) return false
    this.#companies = this.#companies.filter((company) => company.batch >= batch)
    this.#keys.clear()
    for (const { key } of this.#companies) this.#keys.numberOfText(key)
    this.#forgetRows()
    return true
  }

  #forgetRows() {
    this.#last = undefined
    this.#byHandle.clear()
    this.#said.clear()
  }

  /** The column by which the row names its company; -1 when it names none. */
  #handleOf(row: RowView): number {
    for (const column of this.#handles) if (!row.isEmpty(column)) return column
    return -1
  }

  #take(key: string, record: CompanyRecord): Company {
    if (record.name !== null) this.#vocabulary.note(termsOf.company(record.name))
    const known = this.#companies[this.#keys.numberOfText(key)]
    if (known) {
      const before = known.record
      known.record = mergeCompanies(before, record)
      known.isTold &&= isSameCompany(before, known.record)
      return known
    }
    const isNew = this.#seen?.isFull === false && !this.#seen.add(ByteText.of(key))
    const news = { number: this.#count++, key, record, isTold: false, isNew }
    const company = { ...news, bytes: 0, batch: -1, place: 0 }
    this.#companies.push(company)
    return company
  }

  #say(row: RowView, company: Company): Entry {
    const said = this.#said
    const start = said.length
    for (const column of this.#columns) {
      if (!row.isEmpty(column))
        said.append(row.bytes.subarray(row.starts[column], row.ends[column]))
      said.append(fieldEnd)
    }
    this.#saidBytes = said.slice()
    return { company, start }
  }

  #isRepeated(row: RowView, { start }: Entry): boolean {
    const said = this.#saidBytes
    let at = start
    for (let i = 0; i < this.#columns.length; i++) {
      const column = this.#columns[i] as number
      const end = column < row.length ? (row.ends[column] as number) : 0
      for (let byte = end && (row.starts[column] as number); byte < end; byte++) {
        if (row.bytes[byte] !== said[at++]) return false
      }
      if (said[at++] !== noText) return false
    }
    return true
  }
}

/** What a row said of a company: rows that repeat it cost a comparison. */
interface Entry {
  company: Company
  /** Where its fields begin among those that were said, one behind the other. */
  start: number
}

/** A byte that no text has ends a field. */
const noText = 0xff
const fieldEnd = Buffer.of(noText)

const companiesMax = 10_000
const bytesMax = 1 << 23

const handleFields: FieldName[] = ['domain', 'website', 'company']

const companyFields: FieldName[] = [
  ...handleFields,
  ...(['industry', 'employee_count', 'revenue_range', 'founded_year', 'description'] as const),
  ...(['technologies', 'company_city', 'company_country', 'company_linkedin_url'] as const),
]
