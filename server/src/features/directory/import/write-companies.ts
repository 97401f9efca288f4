import type { Context } from '../../../kernel/context.ts'
import { CopyBuffer, uuidBytes } from '../../../kernel/db/copy-buffer.ts'
import type { Session } from '../../../kernel/db/session.ts'
import { companyIdAt, writeCompany } from './company-rows.ts'
import { keyOf, type NamedCompany, recordOf, type StoredCompany } from './named-companies.ts'
import * as queries from './queries.ts'
import { type CompanyRecord, isSameCompany, mergeCompanies } from './records.ts'
import { rowTail } from './row-bytes.ts'

export interface WrittenCompanies {
  /** In the order of the companies. */
  stored: (StoredCompany | undefined)[]
  created: number
  updated: number
  /** Of those updated, the ones whose people are found by something else now. */
  moved: CompanyRecord[]
}

export interface CompanyOptions {
  /** Also those that are said to be new are looked for. */
  isCareful: boolean
  isSample: boolean
}

/** Those that are new are inserted, those of which more is known now are updated. */
export async function writeCompanies(
  tx: Context,
  copyFrom: Session['copyFrom'],
  companies: (NamedCompany | undefined)[],
  { isCareful, isSample }: CompanyOptions,
): Promise<WrittenCompanies> {
  const known = await findStored(tx, companies, isCareful)
  const [created, updated] = [new CompanyRows(tx, isSample), new CompanyRows(tx, isSample)]
  const moved: CompanyRecord[] = []
  const fresh: { key: string; row: Buffer; at: number }[] = []
  const stored = companies.map((company, at): StoredCompany | undefined => {
    if (!company || (company.stored && !company.isChanged)) return company?.stored
    const before = company.stored ?? (known.size > 0 ? known.get(keyOf(company)) : undefined)
    if (!before?.record) {
      fresh.push({ key: keyOf(company), row: company.row, at })
      return undefined
    }
    const { id } = before
    const record = mergeCompanies(before.record, recordOf(company))
    if (!isSameCompany(before.record, record)) {
      updated.addChanged(id, keyOf(company), record)
      if (!isFoundAlike(before.record, record)) moved.push(record)
    }
    return { id, record }
  })
  // Neighbours in the index of keys come together.
  for (const { row, at } of fresh.sort((one, other) => (one.key < other.key ? -1 : 1))) {
    const id = tx.newId()
    created.add(id, row)
    stored[at] = { id, record: undefined }
  }
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
  readonly #tail: Buffer

  constructor(tx: Context, isSample: boolean) {
    this.#tail = rowTail(tx.now(), isSample)
  }

  /** @param row as it was told */
  add(id: string, row: Buffer) {
    const start = this.#rows.length
    this.#rows.append(row)
    this.#identify(start, id)
  }

  addChanged(id: string, key: string, record: CompanyRecord) {
    const start = this.#rows.length
    writeCompany(this.#rows, key, record, this.#tail)
    this.#identify(start, id)
  }

  *chunks(): Generator<Buffer> {
    for (let at = 0; at < this.#rows.length; at += chunkBytes) {
      yield this.#rows.slice(at, Math.min(at + chunkBytes, this.#rows.length))
    }
  }

  #identify(start: number, id: string) {
    this.count++
    this.#rows.overwrite(start + companyIdAt, uuidBytes(id))
  }
}

const chunkBytes = 1 << 18

async function findStored(
  tx: Context,
  companies: (NamedCompany | undefined)[],
  isCareful: boolean,
) {
  const keys = companies.flatMap((company) =>
    company && !company.stored && (isCareful || !company.isNew) ? keyOf(company) : [],
  )
  const rows = keys.length === 0 ? [] : await queries.findCompaniesByKeys(tx.db, keys.toSorted())
  return new Map(
    rows.map(({ id, key, ...record }): [string, StoredCompany] => [key, { id, record }]),
  )
}

export const isFoundAlike = (one: CompanyRecord, other: CompanyRecord) =>
  one.name === other.name &&
  one.industry === other.industry &&
  one.employee_count === other.employee_count &&
  String(one.technologies) === String(other.technologies)
