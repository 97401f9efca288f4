import type { CopyBuffer } from '../../../kernel/db/copy-buffer.ts'
import type { CompanyRecord } from './records.ts'
import { idBytes } from './row-bytes.ts'

export const companyColumns = [
  ...(['name', 'domain', 'website', 'industry', 'employee_count', 'revenue_range'] as const),
  ...(['founded_year', 'description', 'technologies', 'city', 'country', 'linkedin_url'] as const),
]

export const companyCopyColumns = [
  ...(['id', 'key', ...companyColumns] as const),
  ...(['timestamp_updated', 'sample'] as const),
]

/** Where the id is in a row. */
export const companyIdAt = 6

/**
 * Writes a company as COPY takes it, but for its id.
 *
 * @param tail the fields that all rows end with
 */
export function writeCompany(rows: CopyBuffer, key: string, record: CompanyRecord, tail: Buffer) {
  rows.startRow(companyCopyColumns.length)
  rows.bytea(noId)
  rows.text(key)
  for (const column of companyColumns) {
    const value = record[column]
    if (Array.isArray(value)) rows.texts(value)
    else if (typeof value === 'number') rows.integer(value)
    else rows.text(value)
  }
  rows.append(tail)
}

const noId = Buffer.alloc(idBytes)

/** Of what `writeCompany` wrote. */
export const keyOfCompany = (row: Buffer): string =>
  new Fields(row, companyIdAt + idBytes).text() ?? ''

/** What `writeCompany` was given. */
export function readCompanyRow(row: Buffer): CompanyRecord {
  const fields = new Fields(row, companyIdAt + idBytes)
  fields.text()
  return {
    name: fields.text(),
    domain: fields.text(),
    website: fields.text(),
    industry: fields.text(),
    employee_count: fields.integer(),
    revenue_range: fields.text(),
    founded_year: fields.integer(),
    description: fields.text(),
    technologies: fields.texts(),
    city: fields.text(),
    country: fields.text(),
    linkedin_url: fields.text(),
  }
}

/** One after the other. */
class Fields {
  readonly #row: Buffer
  #at: number

  constructor(row: Buffer, at: number) {
    this.#row = row
    this.#at = at
  }

  text(): string | null {
    const size = this.#size()
    if (size < 0) return null
    const start = this.#at
    this.#at += size
    return this.#row.toString('utf8', start, this.#at)
  }

  integer(): number | null {
    return this.#size() < 0 ? null : this.#size()
  }

  texts(): string[] {
    const end = this.#size() + this.#at
    const texts: string[] = []
    // Behind the dimensions, the flags, the type, the length and where it begins.
    for (this.#at += 20; this.#at < end; ) texts.push(this.text() ?? '')
    this.#at = end
    return texts
  }

  #size(): number {
    const size = this.#row.readInt32BE(this.#at)
    this.#at += 4
    return size
  }
}
