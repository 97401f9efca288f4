import { domainOf } from '../domain.ts'
import { addressKey, domainIn, nameKey, profileKey } from '../identity.ts'
import type { CompanyRecord, ContactRecord } from '../records.ts'
import type { Columns } from './columns.ts'
import { domainOfSite, isMailHost } from './shared-hosts.ts'
import type { Row } from './table.ts'
import {
  foldAddress,
  InvalidValue,
  readCount,
  readEmailStatus,
  readList,
  readShownText,
  readSwitch,
  readText,
  readYear,
} from './values.ts'

/**
 * @returns undefined when the row names no company
 * @throws InvalidValue
 */
export function readCompany({ fields }: Row, at: Columns['at']): CompanyRecord | undefined {
  const website = readText('website', fields[at.website], 500)
  const named = readText('domain', fields[at.domain], 500)
  const name = readShownText('company', fields[at.company], 500)
  const given = named === null ? undefined : domainOf(named)
  if (named !== null && given === undefined) throw new InvalidValue('domain is not a domain')
  const isOwn = given !== undefined && !isMailHost(given)
  const domain = (isOwn ? given : domainOfSite(website ?? '')) ?? null
  if (name === null && domain === null) return undefined
  return {
    // Who is called by a domain has no name yet.
    name: name === domain ? null : name,
    domain,
    website,
    industry: readShownText('industry', fields[at.industry]),
    employee_count: readCount('employee_count', fields[at.employee_count]),
    revenue_range: readText('revenue_range', fields[at.revenue_range]),
    founded_year: readYear('founded_year', fields[at.founded_year]),
    description: readText('description', fields[at.description], 10_000),
    technologies: readList('technologies', fields[at.technologies]),
    city: readText('company_city', fields[at.company_city]),
    country: readText('company_country', fields[at.company_country]),
    linkedin_url: readText('company_linkedin_url', fields[at.company_linkedin_url], 500),
  }
}

/** Without a name a company is called by its domain. */
export const named = (record: CompanyRecord): CompanyRecord =>
  record.name === null ? { ...record, name: record.domain } : record

export interface KeyedContact {
  key: string
  record: ContactRecord
  /** Folded: the address that the row says is wrong. */
  wrongAddress: string | undefined
}

/**
 * @param company the key of the company that the row names
 * @throws InvalidValue
 */
export function readContact(
  { fields }: Row,
  at: Columns['at'],
  company: string | undefined,
): KeyedContact {
  const [first_name, last_name] = readNames(fields, at)
  const title = readShownText('title', fields[at.title], 500)
  const seniority = readShownText('seniority', fields[at.seniority])
  const department = readShownText('department', fields[at.department])
  const city = readShownText('city', fields[at.city])
  const country = readShownText('country', fields[at.country])
  const status = readEmailStatus('email_status', fields[at.email_status])
  const { given, folded, isThere } = readAddress(fields[at.email])
  // An address that is known to be wrong is as good as none.
  const email = status === 'invalid' ? null : given
  const linkedin_url = readText('linkedin_url', fields[at.linkedin_url], 500)
  const isOffered = readSwitch('has_email', fields[at.has_email]) ?? isThere
  const domain = company === undefined ? undefined : domainIn(company)
  const canBeLookedFor = Boolean(first_name && last_name && domain && status !== 'invalid')
  const wrongAddress = status === 'invalid' ? folded : undefined
  const otherwise = keyWithoutAddress({ first_name, last_name, linkedin_url }, company)
  const byAddress = folded === undefined ? undefined : addressKey(folded)
  // A wrong address tells who is meant where nothing else does.
  const key = email === null ? (otherwise ?? byAddress) : byAddress
  if (key === undefined) {
    throw new InvalidValue(
      'neither an e-mail address, a LinkedIn profile, nor a name with a company',
    )
  }
  return {
    key,
    wrongAddress,
    record: {
      ...{ first_name, last_name, title, seniority, department, city, country },
      ...{ linkedin_url, email },
      email_status: email === null ? null : status,
      has_email: email !== null || (isOffered ?? (canBeLookedFor || null)),
    },
  }
}

interface GivenAddress {
  given: string | null
  folded?: string | undefined
  /** Some exports say in the place of the address whether there is one. */
  isThere: boolean | null
}

/** The first address of those that stand there. */
function readAddress(text: string | undefined): GivenAddress {
  const value = readText('email', text, 2000)
  if (value === null) return { given: null, isThere: null }
  if (/^(?:true|false)$/i.test(value)) {
    return { given: null, isThere: value.toLowerCase() === 'true' }
  }
  for (const part of [value, ...value.split(/[;,|]/)]) {
    const given = part.trim()
    const folded = foldAddress(given)
    if (folded !== undefined) return { given, folded, isThere: null }
  }
  throw new InvalidValue('email is not an e-mail address')
}

/** Where only the whole name is given, its last word is the last name. */
function readNames(fields: Row['fields'], at: Columns['at']): [string | null, string | null] {
  const first = readShownText('first_name', fields[at.first_name])
  const last = readShownText('last_name', fields[at.last_name])
  if (first !== null || last !== null) return [first, last]
  const full = readShownText('full_name', fields[at.full_name], 500) ?? ''
  const space = full.lastIndexOf(' ')
  const [before, behind] = [full.slice(0, Math.max(0, space)), full.slice(space + 1)]
  return [before || behind || null, (before && behind) || null]
}

/** What makes somebody without an address the same in the next import; undefined for nobody. */
export const keyWithoutAddress = (
  person: Pick<ContactRecord, 'first_name' | 'last_name' | 'linkedin_url'>,
  company: string | undefined,
): string | undefined =>
  person.linkedin_url === null
    ? nameKey(person.first_name, person.last_name, company)
    : profileKey(person.linkedin_url)
