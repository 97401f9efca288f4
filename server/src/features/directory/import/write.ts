import type { Context } from '../../../kernel/context.ts'
import type { Session } from '../../../kernel/db/session.ts'
import { domainIn } from '../identity.ts'
import { lockDirectory } from '../queries.ts'
import { companyTerms, contactTerms, type ReadTerms, TermCounts } from '../terms.ts'
import { addToTerms } from '../vocabulary-queries.ts'
import type { Batch } from './batch.ts'
import { choose } from './choose.ts'
import { type CompanyRecord, isSameCompany, mergeCompanies, named } from './companies.ts'
import { isSameContact, mergeContacts } from './contacts.ts'
import { CopyRows } from './copy-text.ts'
import type { Counts } from './progress.ts'
import * as queries from './queries.ts'
import { companyRow, contactRow } from './stage.ts'

export interface WriteOptions {
  copyFrom: Session['copyFrom']
  readTerms: ReadTerms
  isSample: boolean
}

export interface Written extends Omit<Counts, 'opted_out' | 'rejected'> {
  /** Rows of people who asked to be removed. */
  optedOut: number[]
}

/** Writes a batch within the open transaction of the session. Then searches find it. */
export async function writeBatch(
  tx: Context,
  batch: Batch,
  options: WriteOptions,
): Promise<Written> {
  await lockDirectory(tx.db)
  const { contacts, companies, optedOut } = await choose(tx, batch)
  const counts = new TermCounts()
  const { stored, ...written } = await writeCompanies(tx, companies, counts, options)
  const people = await writeContacts(tx, contacts, stored, counts, options)
  await addToTerms(tx.db, counts.contacts)
  return { ...written, ...people, optedOut }
}

interface StoredCompany {
  id: string
  terms: string[]
}

/** Those that are new are inserted, those of which more is known now are updated with their people. */
async function writeCompanies(
  tx: Context,
  companies: Batch['companies'],
  counts: TermCounts,
  { copyFrom, readTerms, isSample }: WriteOptions,
) {
  const keys = [...companies.keys()].sort()
  const rows = keys.length === 0 ? [] : await queries.findCompaniesByKeys(tx.db, keys)
  const known = new Map(rows.map((row) => [row.key, row]))
  const stored = new Map<string, StoredCompany>()
  /** By their keys, those whose people are found by something else now. */
  const moved = new Map<string, { before: string[]; after: string[] }>()
  const staged = new CopyRows()
  for (const key of keys) {
    const said = companies.get(key) as CompanyRecord
    const before = known.get(key)
    const record = named(before ? mergeCompanies(before, said) : said)
    const terms = companyTerms(record, readTerms)
    const id = before?.id ?? tx.newId()
    stored.set(key, { id, terms })
    const sample = isSample && (before?.sample ?? true)
    if (before && sample === before.sample && isSameCompany(record, before)) continue
    staged.add(companyRow({ id, key, sample, timestamp_updated: tx.now() }, record, terms))
    if (before) moved.set(key, { before: companyTerms(before), after: terms })
  }
  if (staged.count > 0) await copyFrom(queries.copyCompanies, staged.chunks())
  if (moved.size > 0) {
    for (const { key, people } of await queries.updatePeople(tx.db)) {
      counts.add(moved.get(key)?.before ?? [], -people)
      counts.add(moved.get(key)?.after ?? [], people)
    }
  }
  if (staged.count > 0) await queries.upsertCompanies(tx.db)
  return {
    stored,
    companies_created: staged.count - moved.size,
    companies_updated: moved.size,
  }
}

async function writeContacts(
  tx: Context,
  contacts: Batch['contacts'],
  companies: Map<string, StoredCompany>,
  counts: TermCounts,
  { copyFrom, readTerms, isSample }: WriteOptions,
) {
  // In the order of their keys neighbours come together in the index, and ids grow with the rows.
  const keys = [...contacts.keys()].sort()
  const rows = keys.length === 0 ? [] : await queries.findContactsByKeys(tx.db, keys)
  const known = new Map(rows.map((row) => [row.key, row]))
  const staged = new CopyRows()
  let updated = 0
  for (const key of keys) {
    const said = contacts.get(key)
    if (!said) continue
    const before = known.get(key)
    const record = before ? mergeContacts(before, said.record) : said.record
    const company = said.company ?? before?.company
    const employer = said.company === undefined ? undefined : companies.get(said.company)
    const company_id = employer?.id ?? before?.company_id ?? null
    const sample = isSample && (before?.sample ?? true)
    const isMoved = company_id !== (before?.company_id ?? null)
    if (before && !isMoved && sample === before.sample && isSameContact(record, before)) continue
    const terms = contactTerms(record, company && domainIn(company), readTerms)
    if (before) {
      updated++
      counts.add(contactTerms(before, before.company && domainIn(before.company), readTerms), -1)
    }
    counts.add(terms, 1)
    if (employer && (!before || isMoved)) counts.add(employer.terms, 1)
    const about = { id: before?.id ?? tx.newId(), key, company_id, sample }
    staged.add(contactRow({ ...about, timestamp_updated: tx.now() }, record, terms))
  }
  if (staged.count > 0) {
    await copyFrom(queries.copyContacts, staged.chunks())
    await queries.upsertContacts(tx.db)
  }
  return {
    contacts_created: staged.count - updated,
    contacts_updated: updated,
    contacts_unchanged: keys.length - staged.count,
  }
}
