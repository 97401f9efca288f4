export type DirectoryKind = 'contacts' | 'companies'
export type ExportFormat = 'csv' | 'ndjson'

/** Under the names that an import knows them by. */
const companyColumns = `k.name as company, k.domain, k.website, k.industry, k.employee_count,
  k.revenue_range, k.founded_year, k.description`

/** What a contact is known by; whoever had an address alone, which was wrong, is kept by it and shows none. */
const isKnownBy = `c.email is not null or c.linkedin_url is not null
    or c.company_id is not null and coalesce(c.first_name, c.last_name) is not null`

const selectContacts = (companies: string, hasEmail: string) => `
  select c.first_name, c.last_name, c.title, c.seniority, c.department, c.email, c.email_status,
    ${hasEmail} as has_email, c.linkedin_url, c.city, c.country, ${companies}
  from directory_contacts c
  left join directory_companies k on k.id = c.company_id
  where ${isKnownBy}`

/** The whole directory, row by row; no value of it has a line end. */
export function copyOut(kind: DirectoryKind, format: ExportFormat): string {
  const isCsv = format === 'csv'
  const companies = `${companyColumns}, ${isCsv ? joined : listed} as technologies,
    k.city as company_city, k.country as company_country, k.linkedin_url as company_linkedin_url`
  const select =
    kind === 'companies'
      ? `select ${companies} from directory_companies k`
      : selectContacts(companies, isCsv ? 'c.has_email::text' : 'c.has_email')
  if (isCsv) return `copy (${select}) to stdout (format csv, header)`
  // JSON has neither of the two characters, so that it is sent as it is.
  return `copy (select json_strip_nulls(row_to_json(r)) from (${select}) r)
    to stdout (format csv, quote e'\\x01', delimiter e'\\x02')`
}

const listed = `nullif(k.technologies, '{}')`

// A list of one with a comma in it would be read as one of two: it is told where it ends.
const joined = `nullif(array_to_string(k.technologies, ';') ||
  case when cardinality(k.technologies) = 1 and k.technologies[1] ~ '[,|]' then ';' else '' end, '')`
