import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { chooseColumns, fieldNames, parseColumnMap, requireMapped } from './columns.ts'

/** Which header stands for each field that was found. */
function choose(headers: string[], map: string[] = [], kind?: 'contacts' | 'companies') {
  const columns = chooseColumns(headers, parseColumnMap(map), kind)
  const found = fieldNames.filter((field) => columns.at[field] >= 0)
  return {
    kind: columns.kind,
    at: Object.fromEntries(found.map((field) => [field, headers[columns.at[field]]])),
    ignored: columns.ignored,
  }
}

/** How the exports of the usual vendors begin, and what has to be understood of them. */
const exports: [string, string, Record<string, string>][] = [
  [
    'Apollo',
    'First Name,Last Name,Title,Company,Company Name for Emails,Email,Email Status,Seniority,Departments,# Employees,Industry,Keywords,Person Linkedin Url,Website,Company Linkedin Url,City,State,Country,Company City,Company Country,Technologies,Annual Revenue',
    {
      first_name: 'First Name',
      company: 'Company',
      email_status: 'Email Status',
      department: 'Departments',
      employee_count: '# Employees',
      linkedin_url: 'Person Linkedin Url',
      company_linkedin_url: 'Company Linkedin Url',
      city: 'City',
      company_city: 'Company City',
      revenue_range: 'Annual Revenue',
    },
  ],
  [
    'ZoomInfo',
    'Last Name,First Name,Job Title,Management Level,Job Function,Email Address,LinkedIn Contact Profile URL,Person City,Country,Company Name,Website,Revenue Range (in USD),Employees,Primary Industry,Company HQ City,Founded Year',
    {
      title: 'Job Title',
      seniority: 'Management Level',
      department: 'Job Function',
      email: 'Email Address',
      city: 'Person City',
      company: 'Company Name',
      revenue_range: 'Revenue Range (in USD)',
      employee_count: 'Employees',
      founded_year: 'Founded Year',
    },
  ],
  [
    'Lusha',
    'First name,Last name,Work email,Job title,Seniority,Company name,Company domain,Company industry,Number of employees,LinkedIn URL',
    { email: 'Work email', domain: 'Company domain', employee_count: 'Number of employees' },
  ],
  [
    'Hunter',
    'Domain name,Organization,Email address,Verification status,First name,Last name,Position,Department,LinkedIn URL',
    { domain: 'Domain name', company: 'Organization', title: 'Position' },
  ],
  [
    'HubSpot',
    'First Name,Last Name,Email,Job Title,Company Name,Website URL,Country/Region',
    { website: 'Website URL', country: 'Country/Region' },
  ],
  [
    'Crunchbase',
    'Organization Name,Website,Industries,Number of Employees,Founded Date,Full Description,Headquarters City',
    {
      company: 'Organization Name',
      founded_year: 'Founded Date',
      company_city: 'Headquarters City',
    },
  ],
]
test.each(exports)('the headers of %s are known', (_vendor, headers, found) => {
  expect(choose(headers.split(',')).at).toMatchObject(found)
})

test('case, punctuation and accents of other scripts make no header unknown', () => {
  expect(choose(['FIRST_NAME', ' e-Mail ', 'Job-Title', 'Фамилия']).ignored).toEqual(['Фамилия'])
})

test('every field is explained where the operator looks it up', () => {
  const page = readFileSync(new URL('../../../../../docs/directory.md', import.meta.url), 'utf8')
  expect(fieldNames.filter((field) => !page.includes(`\`${field}\``))).toEqual([])
})

test('the other names that stand there are known', () => {
  const page = readFileSync(new URL('../../../../../docs/directory.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| `.*` \| ([^;|`]*?)[;|]/gm)].map(([, names = '']) =>
    names.trim(),
  )
  const names = rows.flatMap((row) => row.split(', '))
  expect(names.length).toBeGreaterThan(40)
  expect(choose(names).ignored).toEqual([])
})

describe('of two columns for one field', () => {
  test('the one with the more usual header is taken', () => {
    expect(choose(['Company Name for Emails', 'Company', 'Email']).at.company).toBe('Company')
    expect(choose(['Work Email', 'email']).at.email).toBe('email')
  })

  test('the mapped one is taken, whatever else it might be', () => {
    const { at, ignored } = choose(['Email', 'Last Name', 'X'], ['x=email', 'LAST NAME=first_name'])
    expect(at).toEqual({ email: 'X', first_name: 'Last Name' })
    expect(ignored).toEqual([])
  })
})

describe('what a file has', () => {
  test('is told by its columns: those of persons, or of companies alone', () => {
    expect(choose(['first_name', 'company']).kind).toBe('contacts')
    expect(choose(['email']).kind).toBe('contacts')
    expect(choose(['has_email', 'linkedin_url']).kind).toBe('contacts')
    expect(choose(['linkedin_url']).kind).toBe('contacts')
    expect(choose(['name', 'linkedin_url']).kind).toBe('companies')
    expect(choose(['company', 'domain', 'city']).kind).toBe('companies')
  })

  test('a name is that of a person, or of a company where there are no persons', () => {
    expect(choose(['Name', 'Email']).at).toEqual({ full_name: 'Name', email: 'Email' })
    expect(choose(['Name', 'Domain']).at).toEqual({ company: 'Name', domain: 'Domain' })
  })

  test('the city of a company is its own, unless the file has persons', () => {
    expect(choose(['company', 'city']).at).toMatchObject({ company_city: 'city' })
    expect(choose(['company', 'city', 'email'], [], 'companies').at).not.toHaveProperty(
      'company_city',
    )
  })
})

describe('--map', () => {
  test('may have an equals sign in the header', () => {
    expect([...parseColumnMap(['a=b=email'])]).toEqual([['ab', 'email']])
  })

  test.each(['x', '=email', '#=email', 'x=', 'x=phone', 'x=Email'])(
    '%j is refused with the fields there are',
    (text) => {
      expect(() => parseColumnMap([text])).toThrow(
        /^It must be HEADER=FIELD .*first_name.*linkedin/,
      )
    },
  )

  test('a header that the file does not have is refused with those it has', () => {
    expect(() => requireMapped(['Name', 'Mail'], parseColumnMap(['E-Post=email']))).toThrow(
      'The file has no column "epost" for email; it has: Name, Mail.',
    )
  })
})
