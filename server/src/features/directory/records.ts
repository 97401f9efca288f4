import { isDeepStrictEqual } from 'node:util'

/** A contact as a file tells of it; null where it says nothing. */
export interface ContactRecord {
  first_name: string | null
  last_name: string | null
  title: string | null
  seniority: string | null
  department: string | null
  city: string | null
  country: string | null
  linkedin_url: string | null
  email: string | null
  /** Of an address that is stored it is never null. */
  email_status: string | null
  /** Whether there is an address, or enough to look for one. Of a contact that is stored it is never null. */
  has_email: boolean | null
}

/** All fields of a contact. */
export const contactFields = [
  ...(['first_name', 'last_name', 'title', 'seniority', 'department', 'city', 'country'] as const),
  ...(['linkedin_url', 'email', 'email_status', 'has_email'] as const),
]

/** A company as a file tells of it; null where it says nothing. */
export interface CompanyRecord {
  name: string | null
  domain: string | null
  website: string | null
  industry: string | null
  employee_count: number | null
  revenue_range: string | null
  founded_year: number | null
  description: string | null
  /** Empty where it says nothing. */
  technologies: string[]
  city: string | null
  country: string | null
  linkedin_url: string | null
}

/** All fields of a company, in the order in which they are shown. */
export const companyFields = [
  ...(['name', 'domain', 'website', 'industry', 'employee_count', 'revenue_range'] as const),
  ...(['founded_year', 'description', 'technologies', 'city', 'country', 'linkedin_url'] as const),
]

type DirectoryRecord = ContactRecord | CompanyRecord

/** What the newer one says, and else what is known already. */
export function merge<R extends DirectoryRecord>(known: R, newer: R): R {
  const merged = { ...newer }
  for (const field of fieldsOf(newer)) {
    if (saysNothing(newer[field])) merged[field] = known[field]
  }
  return merged
}

const saysNothing = (value: unknown) =>
  value === null || (Array.isArray(value) && value.length === 0)

/** @param stored may have other fields as well */
export const isSame = <R extends DirectoryRecord>(record: R, stored: R): boolean =>
  fieldsOf(record).every((field) => isDeepStrictEqual(record[field], stored[field]))

const fieldsOf = <R extends DirectoryRecord>(record: R) => Object.keys(record) as (keyof R)[]
