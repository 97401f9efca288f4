import type { Context } from '../../../kernel/context.ts'
import { CopyBuffer } from '../../../kernel/db/copy-buffer.ts'
import type { Session } from '../../../kernel/db/session.ts'
import type { Company, StoredCompany } from './companies.ts'
import * as queries from './queries.ts'
import { type CompanyRecord, isSameCompany, mergeCompanies } from './records.ts'

export interface WrittenCompanies {
  /** In the order of the companies. */
  stored: (StoredCompany | undefined)[]
  created: number
  updated: number
  /** Of those updated, the ones whose people are found by something else now. */
  moved: CompanyRecord[]
}

/** Those that are new are inserted, those of which more is known now are updated. */
export async function writeCompanies(
  tx: Context,
  copyFrom: Session['copyFrom'],
  companies: (Company | undefined)[],
  isSample: boolean,
): Promise<WrittenCompanies> {
  const known = await findStored(tx, companies)
  const [created, updated] = [new CompanyRows(tx, isSample), new CompanyRows(tx, isSample)]
  const moved: CompanyRecord[] = []
  const stored = companies.map((company) => {
    if (!company) return undefined
    const before = company.stored ?? known.get(company.key)
    const record = before ? mergeCompanies(before.record, company.record) : named(company.record)
    company.record = record
    const id = before?.id ?? tx.newId()
    if (!before) created.add(id, company.key, record)
    else if (!isSameCompany(before.record, record)) {
      updated.add(id, company.key, record)
      if (!isFoundAlike(before.record, record)) moved.push(record)
    }
    return { id, record }
  })
  if (created.count > 0) await copyFrom(queries.copyCompanies, created.chunks())
  if (updated.count > 0) {
    await copyFrom(queries.copyChangedCompanies, updated.chunks())
    await queries.updateCompanies(tx.db)
  }
  return { stored, created: created.count, updated: updated.count, moved }
}

/** As COPY takes them. */
class CompanyRows {
  count = 0
  readonly #rows = new CopyBuffer(1 << 20)
  readonly #at: Date
  readonly #isSample: boolean

  constructor(tx: Context, isSample: boolean) {
    this.#at = tx.now()
    this.#isSample = isSample
  }

  add(id: string, key: string, record: CompanyRecord) {
    const rows = this.#rows
    this.count++
    rows.startRow(queries.companyCopyColumns.length)
    rows.uuid(id)
    rows.text(key)
    for (const column of queries.companyColumns) {
      const value = record[column]
      if (Array.isArray(value)) rows.texts(value)
      else if (typeof value === 'number') rows.integer(value)
      else rows.text(value)
    }
    rows.timestamp(this.#at)
    rows.boolean(this.#isSample)
  }

  *chunks(): Generator<Buffer> {
    for (let at = 0; at < this.#rows.length; at += chunkBytes) {
      yield this.#rows.slice(at, Math.min(at + chunkBytes, this.#rows.length))
    }
  }
}

const chunkBytes = 1 << 18

async function findStored(tx: Context, companies: (Company | undefined)[]) {
  const keys = companies.flatMap((company) => (company && !company.stored ? company.key : []))
  const rows = keys.length === 0 ? [] : await queries.findCompaniesByKeys(tx.db, keys.toSorted())
  return new Map(
    rows.map(({ id, key, ...record }): [string, StoredCompany] => [key, { id, record }]),
  )
}

const isFoundAlike = (one: CompanyRecord, other: CompanyRecord) =>
  one.name === other.name &&
  one.industry === other.industry &&
  one.employee_count === other.employee_count &&
  String(one.technologies) === String(other.technologies)

const named = (record: CompanyRecord) =>
  record.name === null ? { ...record, name: record.domain } : record
