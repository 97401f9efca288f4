import { keyOfCompany, readCompanyRow } from './company-rows.ts'
import type { FullBatch } from './full-batch.ts'
import type { CompanyRecord } from './records.ts'

/** A company that rows of a batch name, for the one who writes it. */
export interface NamedCompany {
  /** What the rows so far say of it, as COPY takes it, but for its id. */
  row: Buffer
  /** No row named it before, and the directory does not have it. */
  isNew: boolean
  /** The rows say more than when it was written. */
  isChanged: boolean
  /** As it is in the database; undefined: that has to be looked up. */
  stored: StoredCompany | undefined
}

export interface StoredCompany {
  id: string
  /** Undefined: what the rows said. */
  record: CompanyRecord | undefined
}

export const keyOf = ({ row }: NamedCompany) => keyOfCompany(row)

/** What the rows say; a name that is its domain is none. */
export function recordOf({ row }: NamedCompany): CompanyRecord {
  const record = readCompanyRow(row)
  return { ...record, name: record.name === record.domain ? null : record.name }
}

/** The companies of the batches so far, as long as the thread that reads does not forget them. */
export class NamedCompanies {
  #stored = new Map<number, StoredCompany>()

  /** Those of a batch, in the order of their places, when the batch before is written. */
  recall({ companies }: FullBatch): NamedCompany[] {
    const { numbers, count, news, ends } = companies
    const bytes = Buffer.from(companies.bytes.buffer, companies.bytes.byteOffset)
    const named: NamedCompany[] = []
    for (let at = 0, start = 0; at < count; at++) {
      const end = ends[at] as number
      const known = this.#stored.get(numbers[at] as number)
      const [isNew, isChanged] = [news[at] === 3, (news[at] as number) >= 2]
      // Of one of which more is said now, what it was is not known any more.
      const stored = isChanged && !known?.record ? undefined : known
      named.push({ row: bytes.subarray(start, end), isNew, isChanged, stored })
      start = end
    }
    return named
  }

  /** They are written. */
  remember({ companies, forgetsOthers }: FullBatch, stored: (StoredCompany | undefined)[]) {
    if (forgetsOthers) this.#stored.clear()
    for (const [at, company] of stored.entries()) {
      if (company) this.#stored.set(companies.numbers[at] as number, company)
    }
  }
}
