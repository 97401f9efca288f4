import { type Place, places, type Spelling } from './places.ts'

/** The columns of the sample, as an import reads them. */
export const sampleColumns = [
  ...['first_name', 'last_name', 'title', 'seniority', 'department', 'email', 'email_status'],
  ...['has_email', 'linkedin_url', 'city', 'country', 'company', 'domain', 'website', 'industry'],
  ...['employee_count', 'revenue_range', 'founded_year', 'description', 'technologies'],
  ...['company_city', 'company_country'],
]

const companiesMade = 500
const contactsMade = 5000

/**
 * A made-up directory, the same every time: nobody in it exists, and every domain is one that is
 * reserved for examples (RFC 2606).
 */
export function* sampleRows(): Generator<string[]> {
  const random = createRandom(2606)
  const used = new Set<string>()
  for (let number = 0; number < companiesMade; number++) {
    const company = makeCompany(places[number % places.length] as Place, number, random)
    const people = contactsMade / companiesMade
    for (let person = 0; person < people; person++) yield makeContact(company, random, used)
  }
}

interface Company {
  place: Place
  domain: string
  writeAddress: (first: string, last: string) => string
  fields: string[]
}

type Random = () => number

/** Deterministic, uniform in [0, 1) (mulberry32). */
function createRandom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const pick = <T>(random: Random, items: readonly T[]): T =>
  items[Math.floor(random() * items.length)] as T

/** How companies write their addresses. */
const patterns: Company['writeAddress'][] = [
  (first, last) => `${first}.${last}`,
  (first, last) => `${first}.${last}`,
  (first, last) => `${first.charAt(0)}${last}`,
  (first, last) => `${first.charAt(0)}.${last}`,
  (first, last) => `${first}_${last}`,
  (first, last) => `${last}.${first}`,
]

const fieldsOfWork: [industry: string, name: string, technologies: string[]][] = [
  ['Software', 'Software', ['TypeScript', 'PostgreSQL', 'Kubernetes', 'React']],
  ['Logistics', 'Logistics', ['SAP', 'Oracle', 'Tableau']],
  ['Renewable Energy', 'Energy', ['Python', 'SCADA', 'Grafana']],
  ['Healthcare', 'Health', ['Epic', 'Salesforce', 'Azure']],
  ['Financial Services', 'Capital', ['Java', 'Kafka', 'Snowflake']],
  ['Manufacturing', 'Works', ['SAP', 'AutoCAD', 'Siemens NX']],
  ['Food & Beverages', 'Foods', ['Shopify', 'NetSuite']],
  ['Education', 'Academy', ['Moodle', 'Zoom', 'Google Workspace']],
  ['Marketing & Advertising', 'Media', ['HubSpot', 'Figma', 'Google Analytics']],
  ['Construction', 'Build', ['Revit', 'Procore']],
]

const sizes = [3, 8, 14, 27, 45, 80, 140, 260, 480, 900, 1800, 4200, 12_000]
const revenues = ['< $1M', '$1M-$10M', '$10M-$50M', '$50M-$250M', '$250M+']

function makeCompany(place: Place, number: number, random: Random): Company {
  const turn = Math.floor(number / places.length)
  const word = place.words[turn % place.words.length] as Spelling
  const [industry, work, technologies] = pick(random, fieldsOfWork)
  const name = `${word.written} ${work} ${pick(random, place.forms)}`
  const domain = `${word.latin}-${work.toLowerCase()}-${number + 1}.example`
  const size = pick(random, sizes)
  const city = pick(random, place.cities)
  return {
    place,
    domain,
    writeAddress: pick(random, patterns),
    fields: [
      ...[name, domain, `https://www.${domain}`, industry, String(size)],
      revenues[Math.min(revenues.length - 1, Math.floor(Math.log10(size)))] ?? '',
      String(1950 + Math.floor(random() * 74)),
      `${name} is a made-up company in ${city}, ${place.country}.`,
      technologies.filter(() => random() < 0.6).join(';'),
      ...[city, place.country],
    ],
  }
}

const departments: [department: string, of: string][] = [
  ['Engineering', 'Engineering'],
  ['Sales', 'Sales'],
  ['Marketing', 'Marketing'],
  ['Finance', 'Finance'],
  ['Human Resources', 'People'],
  ['Operations', 'Operations'],
  ['Customer Support', 'Customer Success'],
  ['Product', 'Product'],
]

const levels: [seniority: string, title: (of: string) => string][] = [
  ['c_suite', (of) => `Chief ${of} Officer`],
  ['vp', (of) => `VP of ${of}`],
  ['director', (of) => `Director of ${of}`],
  ['head', (of) => `Head of ${of}`],
  ['manager', (of) => `${of} Manager`],
  ['manager', (of) => `${of} Manager`],
  ['senior', (of) => `Senior ${of} Specialist`],
  ['entry', (of) => `${of} Associate`],
]

function makeContact(company: Company, random: Random, used: Set<string>): string[] {
  const { place, domain } = company
  let first: Spelling
  let last: Spelling
  let address: string
  do {
    first = pick(random, place.given)
    last = pick(random, place.family)
    address = `${company.writeAddress(first.latin, last.latin)}@${domain}`
  } while (used.has(address))
  used.add(address)
  const [seniority, title] = pick(random, levels)
  const [department, of] = pick(random, departments)
  const luck = random()
  const email = luck < 0.9 ? address : ''
  const status = email === '' ? '' : pick(random, ['verified', 'verified', 'likely', 'unknown'])
  const profile = `https://www.linkedin.com/in/example-${first.latin}-${last.latin}-${domain.replace('.example', '')}`
  return [
    ...[first.written, last.written, title(of), seniority, department, email, status],
    // No server takes mail for a reserved domain, so that no address there could be guessed.
    email === '' ? 'false' : 'true',
    random() < 0.7 ? profile : '',
    random() < 0.8 ? (company.fields.at(-2) ?? '') : pick(random, place.cities),
    place.country,
    ...company.fields,
  ]
}
