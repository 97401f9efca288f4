import { type Term, vectorOf } from '../terms.ts'
import type { CompanyRecord } from './companies.ts'
import type { ContactRecord } from './contacts.ts'
import { companyColumns, contactColumns } from './queries.ts'

/** What is stored with a record. */
export interface StoredWith {
  id: string
  key: string
  sample: boolean
  timestamp_updated: Date
}

/** A row of `copyCompanies`. */
export function companyRow(
  { id, key, sample, timestamp_updated }: StoredWith,
  record: CompanyRecord,
  terms: Term[],
) {
  const values = companyColumns.map((column) => record[column])
  return [id, key, ...values, sample, timestamp_updated, vectorOf(terms)]
}

/** A row of `copyContacts`. */
export function contactRow(
  { id, key, company_id, sample, timestamp_updated }: StoredWith & { company_id: string | null },
  record: ContactRecord,
  terms: Term[],
) {
  const values = contactColumns.map((column) => record[column])
  return [id, key, company_id, ...values, sample, timestamp_updated, vectorOf(terms)]
}
