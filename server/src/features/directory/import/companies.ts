import { domainOf } from '../domain.ts'
import type { CompanyRecord } from '../records.ts'
import type { Columns } from './columns.ts'
import { domainOfSite, isMailHost } from './shared-hosts.ts'
import type { Row } from './table.ts'
import { InvalidValue, readCount, readList, readShownText, readText, readYear } from './values.ts'

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
  const own = given ?? domainOfSite(website ?? '')
  const domain = own === undefined || isMailHost(own) ? null : own
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
