/**
 * The fields of a row and the headers they are known by: our own name first, then what the exports
 * of Apollo, ZoomInfo, Lusha, Cognism, Seamless.AI, UpLead, LinkedIn, Sales Navigator scrapers, Hunter,
 * Snov.io, RocketReach, People Data Labs, Crunchbase, HubSpot and Salesforce call them. Letters and
 * digits alone are compared.
 */
const aliases = {
  first_name: 'first name, given name, forename, contact first name, prospect first name',
  last_name: 'last name, surname, family name, contact last name, prospect last name',
  full_name:
    'full name, contact name, person name, contact full name, lead name, prospect name, prospect full name',
  title:
    'job title, position, role, current title, contact title, contact job title, current job title, current position, current job, prospect position, person title, headline',
  seniority:
    'management level, seniority level, job level, contact seniority, employment seniority',
  department:
    'departments, job function, function, job department, contact department, department name, functional area, job title role',
  email:
    'email address, work email, business email, e-mail, e-mail address, primary email, recommended work email, recommended professional email, recommended email, contact email, professional email, work e-mail, company email, corporate email, email 1, prospect email, contact email address, emails',
  email_status:
    'email verification status, email validation status, email validation, email 1 validation, email confidence, verification status, email quality, email accuracy, email grade, work email status, validity',
  has_email: 'email available, has work email',
  linkedin_url:
    'person linkedin url, linkedin, linkedin profile, linkedin profile url, linkedin contact profile url, contact linkedin url, contact li profile url, prospect linkedin url, linkedin url public, default profile url, profile url, person linkedin, contact linkedin, linkedin link, url, personal linkedin',
  city: 'person city, contact city, city town, mailing city, location locality, locality',
  country:
    'person country, contact country, country region, country name, mailing country, location country',
  company:
    'company name, organization, organisation, organization name, employer, account name, current company, current employer, company name cleaned, account, company account, job company name, company name for emails, business name',
  domain:
    'company domain, domain name, company domain name, company website domain, website domain, primary domain, organization primary domain, employer domain, organization domain',
  website:
    'company website, company url, web site, homepage, homepage url, company web site, corporate website, website url, account website, employer website, job company website, organization website url, organization website, email domain',
  industry:
    'company industry, primary industry, main industry, company main industry, industries, organization industry, company primary industry, job company industry, employer industry, industry name, all industries',
  employee_count:
    'employees, number of employees, # employees, company size, headcount, company headcount, company employee count, company staff count, current employee estimate, organization estimated num employees, estimated num employees, number employees, staff count, company number of employees, no of employees, company employees, employee range, company employee range, company staff count range, size range, job company size, size',
  revenue_range:
    'revenue, annual revenue, revenue range, company revenue, revenue range in usd, estimated revenue range, company revenue range, company annual revenue',
  founded_year:
    'founded, year founded, founded date, company founded, company founded year, company year founded, company founded date, job company founded, organization founded year',
  description:
    'company description, short description, organization short description, seo description, about, about us, company summary, full description',
  technologies:
    'technology, tech stack, company technologies, technologies used, web technologies, keywords tech',
  company_city:
    'company city, company hq city, hq city, headquarters city, billing city, account city, organization city, job company location locality',
  company_country:
    'company country, company hq country, hq country, headquarters country, billing country, account country, organization country, job company location country',
  company_linkedin_url:
    'company linkedin url, company linkedin, linkedin company profile url, linkedin company page, company li profile url, organization linkedin url, employer linkedin, job company linkedin url, company linkedin profile, regular company url',
} as const

export type FieldName = keyof typeof aliases

export const fieldNames = Object.keys(aliases) as FieldName[]

const personFields = new Set<FieldName>([
  ...(['first_name', 'last_name', 'full_name', 'title', 'seniority', 'department'] as const),
  ...(['email', 'email_status', 'has_email'] as const),
])

export interface FileKind {
  kind: 'contacts' | 'companies'
  /** Also where only its companies are wanted. */
  hasPersons: boolean
}

export interface Columns extends FileKind {
  /** The column of each field; -1 where the file has none. */
  at: Record<FieldName, number>
  /** Headers that say nothing to us. */
  ignored: string[]
}

/** Headers given by `--map` stand for the field they are mapped to, whatever else they might be. */
export type ColumnMap = Map<string, FieldName>

/** How many of the headers are known. */
export const countKnown = (headers: string[], map: ColumnMap): number =>
  headers.filter((header) => fieldOf(header, map) !== undefined || isName(header)).length

/**
 * @param kind undefined: a file with a column about persons has contacts, another one companies
 */
export function chooseColumns(
  headers: string[],
  map: ColumnMap,
  kind: Columns['kind'] | undefined,
): Columns {
  const hasPersons = hasColumnsOfPersons(headers, map)
  const file = { kind: kind ?? (hasPersons ? 'contacts' : 'companies'), hasPersons }
  const at = Object.fromEntries(fieldNames.map((name) => [name, -1])) as Columns['at']
  const rank = new Map<FieldName, number>()
  const ignored: string[] = []
  for (const [column, header] of headers.entries()) {
    const field = fieldIn(file, header, map)
    if (!field) {
      ignored.push(header)
      continue
    }
    const better = rankOf(header, field, map)
    if (better >= (rank.get(field) ?? Number.POSITIVE_INFINITY)) continue
    rank.set(field, better)
    at[field] = column
  }
  return { ...file, at, ignored }
}

/** Persons without a name or an address are told by their profile, where no company is named. */
function hasColumnsOfPersons(headers: string[], map: ColumnMap): boolean {
  const fields = headers.map((header) => fieldOf(header, map))
  if (fields.some((field) => field !== undefined && personFields.has(field))) return true
  const isNamed = (field: string | undefined) => handles.includes(field ?? '')
  return fields.includes('linkedin_url') && !headers.some(isName) && !fields.some(isNamed)
}

const handles: string[] = ['company', 'domain', 'website']

/** The field that a header stands for in such a file. */
export function fieldIn(
  { kind, hasPersons }: FileKind,
  header: string,
  map: ColumnMap,
): FieldName | undefined {
  const field = fieldOf(header, map)
  if (field === undefined && isName(header)) return kind === 'contacts' ? 'full_name' : 'company'
  return hasPersons || field === undefined ? field : (ofCompanies[field] ?? field)
}

/** In a file of companies alone the city and the like are theirs. */
const ofCompanies: Partial<Record<FieldName, FieldName>> = {
  city: 'company_city',
  country: 'company_country',
  linkedin_url: 'company_linkedin_url',
}

const plain = (header: string) => header.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')

const known = new Map(
  fieldNames.flatMap((field) =>
    [field, ...aliases[field].split(',')].map((alias, rank) => [plain(alias), { field, rank }]),
  ),
)

const fieldOf = (header: string, map: ColumnMap): FieldName | undefined =>
  map.get(plain(header)) ?? known.get(plain(header))?.field

/** Of two columns for one field the one with the more usual header is taken. */
function rankOf(header: string, field: FieldName, map: ColumnMap): number {
  if (map.has(plain(header))) return -1
  const usual = known.get(plain(header))
  return usual?.field === field ? usual.rank : Number.MAX_SAFE_INTEGER
}

/** A person in one file, a company in another. */
const isName = (header: string) => plain(header) === 'name'

/**
 * @param texts such as `Their header=first_name`
 * @throws with what to write
 */
export function parseColumnMap(texts: string[]): ColumnMap {
  const entries = texts.map((text): [string, FieldName] => {
    const at = text.lastIndexOf('=')
    const header = plain(text.slice(0, Math.max(0, at)))
    const field = fieldNames.find((name) => name === text.slice(at + 1).trim())
    if (header !== '' && field) return [header, field]
    throw new Error(`It must be HEADER=FIELD with one of these fields: ${fieldNames.join(', ')}.`)
  })
  return new Map(entries)
}

/** @throws when a header is mapped that is none of these */
export function requireMapped(headers: string[], map: ColumnMap) {
  const there = new Set(headers.map(plain))
  for (const [header, field] of map) {
    if (there.has(header)) continue
    const named = headers.slice(0, namedMax).join(', ')
    throw new Error(`The file has no column "${header}" for ${field}; it has: ${named}.`)
  }
}

/** In a sentence for a person. */
const namedMax = 50
