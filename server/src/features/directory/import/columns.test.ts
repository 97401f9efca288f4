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

/** The columns of the usual vendors' exports, what has to be understood of them, and what says nothing. */
const exports: [string, string, string, string][] = [
  [
    'Apollo',
    'First Name,Last Name,Title,Company Name,Company Name for Emails,Email,Email Status,Primary Email Source,Email Confidence,Primary Email Catch-all Status,Primary Email Last Verified At,Seniority,Departments,Contact Owner,Mobile Phone,Lists,# Employees,Industry,Keywords,Person Linkedin Url,Website,Company Linkedin Url,Facebook Url,City,State,Country,Company Address,Company City,Company State,Company Country,Company Phone,Technologies,Annual Revenue,Total Funding,Subsidiary of,Apollo Contact Id,Secondary Email',
    'first_name=First Name, last_name=Last Name, title=Title, seniority=Seniority, department=Departments, email=Email, email_status=Email Status, linkedin_url=Person Linkedin Url, city=City, country=Country, company=Company Name, website=Website, industry=Industry, employee_count=# Employees, revenue_range=Annual Revenue, technologies=Technologies, company_city=Company City, company_country=Company Country, company_linkedin_url=Company Linkedin Url',
    'Primary Email Source,Primary Email Catch-all Status,Primary Email Last Verified At,Contact Owner,Mobile Phone,Lists,Keywords,Facebook Url,State,Company Address,Company State,Company Phone,Total Funding,Subsidiary of,Apollo Contact Id,Secondary Email',
  ],
  [
    'Apollo, companies',
    'Company Name,Company Name for Emails,Account Stage,# Employees,Industry,Account Owner,Website,Company Linkedin Url,Company Street,Company City,Company Country,SIC Codes,Short Description,Founded Year,Logo Url',
    'company=Company Name, website=Website, industry=Industry, employee_count=# Employees, founded_year=Founded Year, description=Short Description, company_city=Company City, company_country=Company Country, company_linkedin_url=Company Linkedin Url',
    'Account Stage,Account Owner,Company Street,SIC Codes,Logo Url',
  ],
  [
    'ZoomInfo',
    'ZoomInfo Contact ID,Last Name,First Name,Middle Name,Job Title,Management Level,Job Start Date,Job Function,Department,Email Address,Email Domain,Mobile phone,Contact Accuracy Score,ZoomInfo Contact Profile URL,LinkedIn Contact Profile URL,Person Street,Person City,Person State,Country,ZoomInfo Company ID,Company Name,Company Description,Website,Founded Year,Company HQ Phone,Revenue (in 000s USD),Revenue Range (in USD),Employees,Employee Range,Primary Industry,Primary Sub-Industry,All Industries,ZoomInfo Company Profile URL,LinkedIn Company Profile URL,Company City,Company Country',
    'first_name=First Name, last_name=Last Name, title=Job Title, seniority=Management Level, department=Department, email=Email Address, linkedin_url=LinkedIn Contact Profile URL, city=Person City, country=Country, company=Company Name, website=Website, industry=Primary Industry, employee_count=Employees, revenue_range=Revenue Range (in USD), founded_year=Founded Year, description=Company Description, company_city=Company City, company_country=Company Country, company_linkedin_url=LinkedIn Company Profile URL',
    'ZoomInfo Contact ID,Middle Name,Job Start Date,Mobile phone,Contact Accuracy Score,ZoomInfo Contact Profile URL,Person Street,Person State,ZoomInfo Company ID,Company HQ Phone,Revenue (in 000s USD),Primary Sub-Industry,ZoomInfo Company Profile URL',
  ],
  [
    'Lusha',
    'First name,Last name,Work email,Private email,Phone 1,Job title,Seniority,Department,Contact city,Contact state,Contact country,LinkedIn URL,Company name,Company domain,Company website,Company size,Company main industry,Company sub industry,Company revenue,Company LinkedIn URL,Company city,Company country,Company description,Company year founded',
    'first_name=First name, last_name=Last name, title=Job title, seniority=Seniority, department=Department, email=Work email, linkedin_url=LinkedIn URL, city=Contact city, country=Contact country, company=Company name, domain=Company domain, website=Company website, industry=Company main industry, employee_count=Company size, revenue_range=Company revenue, founded_year=Company year founded, description=Company description, company_city=Company city, company_country=Company country, company_linkedin_url=Company LinkedIn URL',
    'Private email,Phone 1,Contact state,Company sub industry',
  ],
  [
    'Cognism',
    'First Name,Last Name,Job Title,Job Function,Management Level,Email,Email Quality,Mobile,LinkedIn URL,Contact City,Contact Country,Company,Company Website,Company LinkedIn URL,Company Headcount,Industry,Company Revenue,Founded,HQ City,HQ Country,Company Technologies',
    'first_name=First Name, last_name=Last Name, title=Job Title, seniority=Management Level, department=Job Function, email=Email, email_status=Email Quality, linkedin_url=LinkedIn URL, city=Contact City, country=Contact Country, company=Company, website=Company Website, industry=Industry, employee_count=Company Headcount, revenue_range=Company Revenue, founded_year=Founded, technologies=Company Technologies, company_city=HQ City, company_country=HQ Country, company_linkedin_url=Company LinkedIn URL',
    'Mobile',
  ],
  [
    'Seamless.AI',
    'Research Date,Contact Full Name,Title,Department,Seniority,Company Name - Cleaned,Website,List,Contact LI Profile URL,Email 1,Email 1 Validation,Email 1 Total AI,Personal Email,Contact City,Contact State,Contact Country,Company Website Domain,Company LI Profile Url,Company City,Company Country,Company Industry,Company Staff Count,Company Staff Count Range,Company Annual Revenue,Company Founded Date',
    'full_name=Contact Full Name, title=Title, seniority=Seniority, department=Department, email=Email 1, email_status=Email 1 Validation, linkedin_url=Contact LI Profile URL, city=Contact City, country=Contact Country, company=Company Name - Cleaned, domain=Company Website Domain, website=Website, industry=Company Industry, employee_count=Company Staff Count, revenue_range=Company Annual Revenue, founded_year=Company Founded Date, company_city=Company City, company_country=Company Country, company_linkedin_url=Company LI Profile Url',
    'Research Date,List,Email 1 Total AI,Personal Email,Contact State',
  ],
  [
    'LinkedIn',
    'First Name,Last Name,URL,Email Address,Company,Position,Connected On',
    'first_name=First Name, last_name=Last Name, title=Position, email=Email Address, linkedin_url=URL, company=Company',
    'Connected On',
  ],
  [
    'a scraper of the Sales Navigator',
    'profileUrl,firstName,lastName,companyName,title,companyId,companyUrl,regularCompanyUrl,summary,industry,location,linkedInProfileUrl,defaultProfileUrl',
    'first_name=firstName, last_name=lastName, title=title, linkedin_url=linkedInProfileUrl, company=companyName, website=companyUrl, industry=industry, company_linkedin_url=regularCompanyUrl',
    'companyId,summary,location',
  ],
  [
    'Hunter',
    'Domain name,Organization,Email address,Type,Confidence score,Verification status,First name,Last name,Position,Department,LinkedIn URL,Phone number',
    'first_name=First name, last_name=Last name, title=Position, department=Department, email=Email address, email_status=Verification status, linkedin_url=LinkedIn URL, company=Organization, domain=Domain name',
    'Type,Confidence score,Phone number',
  ],
  [
    'Snov.io',
    'Email,Email status,First name,Last name,Position,Country,Locality,LinkedIn,Company name,Company website,Industry,Company size',
    'first_name=First name, last_name=Last name, title=Position, email=Email, email_status=Email status, linkedin_url=LinkedIn, city=Locality, country=Country, company=Company name, website=Company website, industry=Industry, employee_count=Company size',
    '',
  ],
  [
    'RocketReach',
    'Name,Title,Employer,Employer Domain,Employer Website,Employer LinkedIn,Location,City,Region,Country,LinkedIn,Recommended Email,Recommended Work Email,Recommended Personal Email',
    'full_name=Name, title=Title, email=Recommended Work Email, linkedin_url=LinkedIn, city=City, country=Country, company=Employer, domain=Employer Domain, website=Employer Website, company_linkedin_url=Employer LinkedIn',
    'Location,Region,Recommended Personal Email',
  ],
  [
    'People Data Labs',
    'full_name,job_title,job_title_role,linkedin_url,work_email,location_locality,location_country,job_company_name,job_company_website,job_company_industry,job_company_size,job_company_founded,job_company_location_country',
    'full_name=full_name, title=job_title, department=job_title_role, email=work_email, linkedin_url=linkedin_url, city=location_locality, country=location_country, company=job_company_name, website=job_company_website, industry=job_company_industry, employee_count=job_company_size, founded_year=job_company_founded, company_country=job_company_location_country',
    '',
  ],
  [
    'People Data Labs, companies',
    'name,domain,year founded,industry,size range,locality,country,linkedin url,current employee estimate,total employee estimate',
    'company=name, domain=domain, industry=industry, employee_count=current employee estimate, founded_year=year founded, company_city=locality, company_country=country, company_linkedin_url=linkedin url',
    'total employee estimate',
  ],
  [
    'Crunchbase',
    'Organization Name,Organization Name URL,Industries,Headquarters Location,Description,Founded Date,Website,LinkedIn,Number of Employees,Estimated Revenue Range',
    'company=Organization Name, website=Website, industry=Industries, employee_count=Number of Employees, revenue_range=Estimated Revenue Range, founded_year=Founded Date, description=Description, company_linkedin_url=LinkedIn',
    'Organization Name URL,Headquarters Location',
  ],
  [
    'HubSpot',
    'Record ID,First Name,Last Name,Email,Contact owner,Job Title,Employment Seniority,Company Name,Website URL,City,Country/Region,Number of Employees,Annual Revenue',
    'first_name=First Name, last_name=Last Name, title=Job Title, seniority=Employment Seniority, email=Email, city=City, country=Country/Region, company=Company Name, website=Website URL, employee_count=Number of Employees, revenue_range=Annual Revenue',
    'Record ID,Contact owner',
  ],
  [
    'HubSpot, companies',
    'Record ID,Company name,Company owner,Company Domain Name,Industry,City,Country/Region,Year Founded,Description,LinkedIn Company Page,Web Technologies',
    'company=Company name, domain=Company Domain Name, industry=Industry, founded_year=Year Founded, description=Description, technologies=Web Technologies, company_city=City, company_country=Country/Region, company_linkedin_url=LinkedIn Company Page',
    'Record ID,Company owner',
  ],
  [
    'Salesforce',
    'First Name,Last Name,Title,Department,Account Name,Email,Phone,Mailing City,Mailing Country,Billing City,Billing Country,Website,Employees',
    'first_name=First Name, last_name=Last Name, title=Title, department=Department, email=Email, city=Mailing City, country=Mailing Country, company=Account Name, website=Website, employee_count=Employees, company_city=Billing City, company_country=Billing Country',
    'Phone',
  ],
  [
    'Salesforce, leads',
    'First Name,Last Name,Title,Company / Account,Email,Lead Source,City,Country,No. of Employees',
    'first_name=First Name, last_name=Last Name, title=Title, email=Email, city=City, country=Country, company=Company / Account, employee_count=No. of Employees',
    'Lead Source',
  ],
]
test.each(exports)('the headers of %s are known', (_vendor, headers, found, ignored) => {
  const { at, ...rest } = choose(headers.split(','))
  const chosen = Object.entries(at).map(([field, header]) => `${field}=${header}`)
  expect(chosen.join(', ')).toBe(found)
  expect(rest.ignored.join()).toBe(ignored)
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
