import type { AnyContext } from '../../../kernel/context.ts'
import type { Session } from '../../../kernel/db/session.ts'
import { vectorOf } from '../../../kernel/db/tsvector.ts'
import { addressKey, domainIn } from '../identity.ts'
import { lockDirectory } from '../queries.ts'
import { type CompanyRecord, type ContactRecord, isSame, merge } from '../records.ts'
import { addCount, companyTerms, contactTerms, type TermCounts } from '../terms.ts'
import { addTermCounts } from '../vocabulary-queries.ts'
import { type Batch, type BatchContact, mergeContact } from './batch.ts'
import { type CopyValue, copyText } from './copy-text.ts'
import { excludeOptedOut } from './exclude-opted-out.ts'
import * as queries from './queries.ts'
import { keyWithoutAddress, named } from './read-row.ts'

export interface WriteOptions {
  copyFrom: Session['copyFrom']
  isSample: boolean
}

/** What became of the rows of a file. */
export const nothing = {
  contacts_created: 0,
  contacts_updated: 0,
  contacts_unchanged: 0,
  companies_created: 0,
  companies_updated: 0,
  opted_out: 0,
  rejected: 0,
}

export type Counts = typeof nothing

interface Written extends Omit<Counts, 'opted_out' | 'rejected'> {
  /** Rows of people who asked to be removed. */
  optedOut: number[]
  /** Rows that say of nobody's address that it is wrong. */
  ofNobody: number[]
}

/** Writes a batch within the open transaction of the session. Then searches find it. */
export async function writeBatch(
  tx: AnyContext,
  batch: Batch,
  options: WriteOptions,
): Promise<Written> {
  await lockDirectory(tx.db)
  const { contacts: wanted, companies, optedOut } = await excludeOptedOut(tx, batch)
  const { contacts, ofNobody } = await underWrongAddresses(tx, wanted)
  const counts: TermCounts = new Map()
  const { stored, ...written } = await writeCompanies(tx, companies, counts, options)
  const people = await writeContacts(tx, contacts, stored, counts, options)
  await addTermCounts(tx.db, counts)
  return { ...written, ...people, optedOut, ofNobody }
}

interface StoredCompany {
  id: string
  employees: number | null
  terms: string[]
  /** The terms as they are written. */
  vector: string
  /** Contacts of this batch that are new. */
  newPeople: number
}

/** New companies are inserted, those of which more is known now are updated with their people. */
async function writeCompanies(
  tx: AnyContext,
  companies: Batch['companies'],
  counts: TermCounts,
  { copyFrom, isSample }: WriteOptions,
) {
  const keys = [...companies.keys()].sort()
  const rows = keys.length === 0 ? [] : await queries.findCompaniesByKeys(tx.db, keys)
  const known = new Map(rows.map((row) => [row.key, row]))
  const stored = new Map<string, StoredCompany>()
  /** By their keys, those whose people are found by something else now. */
  const moved = new Map<string, { before: string[]; after: string[] }>()
  const created: CopyValue[][] = []
  const changed: CopyValue[][] = []
  const timestamp_updated = tx.now()
  for (const key of keys) {
    const said = companies.get(key) as CompanyRecord
    const before = known.get(key)
    const record = named(before ? merge(before, said) : said)
    const terms = companyTerms(record)
    const vector = vectorOf(terms)
    const id = before?.id ?? tx.newId()
    stored.set(key, { id, terms, vector, employees: record.employee_count, newPeople: 0 })
    const sample = isSample && (before?.sample ?? true)
    if (before && sample === before.sample && isSame(record, before)) continue
    const row = queries.companyRow({ ...record, id, key, sample, timestamp_updated, terms: vector })
    if (before) {
      changed.push(row)
      moved.set(key, { before: companyTerms(before), after: terms })
    } else created.push(row)
  }
  if (created.length > 0) await copyFrom(queries.copyCompanies, copyText(created))
  if (changed.length > 0) {
    await copyFrom(queries.copyChangedCompanies, copyText(changed))
    for (const { key, people } of await queries.updatePeople(tx.db)) {
      addCount(counts, moved.get(key)?.before ?? [], -people)
      addCount(counts, moved.get(key)?.after ?? [], people)
    }
    await queries.updateCompanies(tx.db)
  }
  return { stored, companies_created: created.length, companies_updated: changed.length }
}

/** Whoever is stored by an address that a row calls wrong is whom the row is about. */
async function underWrongAddresses(
  tx: AnyContext,
  contacts: Batch['contacts'],
): Promise<Pick<Batch, 'contacts'> & { ofNobody: number[] }> {
  const ofNobody: number[] = []
  const wrong = [...contacts.values()].flatMap(({ wrongAddress }) => wrongAddress ?? [])
  if (wrong.length === 0) return { contacts, ofNobody }
  const rows = await queries.findContactsByKeys(tx.db, wrong.map(addressKey))
  const stored = new Set(rows.map(({ key }) => key))
  const placed = new Map<string, BatchContact>()
  for (const [key, contact] of contacts) {
    const { wrongAddress, record, company } = contact
    const known = wrongAddress === undefined ? key : addressKey(wrongAddress)
    const isTaken = contacts.has(known) || placed.has(known)
    if (wrongAddress !== undefined && !stored.has(known) && !keyWithoutAddress(record, company)) {
      ofNobody.push(...contact.rows)
      continue
    }
    placed.set(stored.has(known) && !isTaken ? known : key, contact)
  }
  return { contacts: placed, ofNobody }
}

async function writeContacts(
  tx: AnyContext,
  contacts: Batch['contacts'],
  companies: Map<string, StoredCompany>,
  counts: TermCounts,
  { copyFrom, isSample }: WriteOptions,
) {
  // In the order of their keys neighbours come together in the index, and ids grow with the rows.
  const keys = [...contacts.keys()].sort()
  const rows = keys.length === 0 ? [] : await queries.findContactsByKeys(tx.db, keys)
  const known = new Map(rows.map((row) => [row.key, row]))
  const timestamp_updated = tx.now()
  const created = keys.filter((key) => !known.has(key))
  if (created.length > 0) await copyFrom(queries.copyContacts, copyText(newRows(created)))
  for (const { terms, newPeople } of companies.values()) addCount(counts, terms, newPeople)
  /** By the keys of companies, how many contacts have left them. */
  const left = new Map<string, number>()
  const changed = [...changedRows()]
  await subtractLeft()
  if (changed.length > 0) {
    await copyFrom(queries.copyChangedContacts, copyText(changed))
    await queries.updateContacts(tx.db)
  }
  return {
    contacts_created: created.length,
    contacts_updated: changed.length,
    contacts_unchanged: known.size - changed.length,
  }

  /** Made while the database takes those before. */
  function* newRows(keys: string[]) {
    for (const key of keys) {
      const { record: said, company } = contacts.get(key) as BatchContact
      const record = settled(said)
      const employer = company === undefined ? undefined : companies.get(company)
      const own = contactTerms(record, company && domainIn(company))
      addCount(counts, own, 1)
      if (employer) employer.newPeople++
      yield queries.contactRow({
        ...record,
        ...{ id: tx.newId(), key, company_id: employer?.id ?? null, sample: isSample },
        ...{ timestamp_updated, employees: employer?.employees ?? null },
        terms: `${vectorOf(own)} ${employer?.vector ?? ''}`,
      })
    }
  }

  function* changedRows() {
    for (const before of rows) {
      const { key, id } = before
      const said = contacts.get(key) as BatchContact
      const record = settled(mergeContact(key, before, said))
      const employer = said.company === undefined ? undefined : companies.get(said.company)
      const company_id = employer?.id ?? before.company_id
      const sample = isSample && before.sample
      const isMoved = company_id !== before.company_id
      if (!isMoved && sample === before.sample && isSame(record, before)) continue
      const company = said.company ?? before.company
      const terms = contactTerms(record, company && domainIn(company))
      addCount(counts, contactTerms(before, before.company && domainIn(before.company)), -1)
      addCount(counts, terms, 1)
      if (employer && isMoved) {
        addCount(counts, employer.terms, 1)
        if (before.company) left.set(before.company, (left.get(before.company) ?? 0) + 1)
      }
      yield queries.contactRow({
        ...record,
        ...{ id, key, company_id, sample, timestamp_updated, employees: null },
        terms: vectorOf(terms),
      })
    }
  }

  /** People who left were counted at what their companies are found by now, also those that this batch changes. */
  async function subtractLeft() {
    const others = [...left.keys()].filter((key) => !companies.has(key))
    const stored = others.length === 0 ? [] : await queries.findCompaniesByKeys(tx.db, others)
    for (const company of stored)
      addCount(counts, companyTerms(company), -(left.get(company.key) ?? 0))
    for (const [key, people] of left) addCount(counts, companies.get(key)?.terms ?? [], -people)
  }
}

/** What is stored says of every contact whether there is an address, and of every address how good it is. */
const settled = (record: ContactRecord): ContactRecord => ({
  ...record,
  email_status: record.email === null ? record.email_status : (record.email_status ?? 'unknown'),
  has_email: record.email !== null || record.has_email === true,
})
