import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** A directory that looks like a vendor's: made up, the same every time. */
export interface GeneratedDirectory {
  contacts: number
  companies: number
}

/**
 * Writes a CSV with a row for every contact, company by company as vendors deliver it.
 *
 * @param part the contacts that are written, counted from 0
 */
export async function writeDirectory(
  path: string,
  size: GeneratedDirectory,
  part: Part = { from: 0, to: size.contacts },
): Promise<void> {
  await pipeline(Readable.from(csvOf(size, part)), createWriteStream(path))
}

interface Part {
  from: number
  to: number
}

const directoryColumns = [
  ...['first_name', 'last_name', 'title', 'seniority', 'department', 'company', 'domain'],
  ...['industry', 'employee_count', 'technologies', 'city', 'country', 'linkedin_url', 'email'],
]

const syllables =
  'ka lo mi ra ten sor bel van dor shi pre qua zen tri mon alt ber cin dex fen gar hol jin kel lan mar nor ol pa ri sa tur ul vi wen yo'.split(
    ' ',
  )

/** What the generated contacts can be searched for. */
export const vocabulary = {
  levels: ['Chief', 'VP', 'Director of', 'Head of', 'Manager,', 'Senior', 'Junior', 'Lead'],
  seniorities: ['c_suite', 'vp', 'director', 'head', 'manager', 'senior', 'entry', 'lead'],
  departments: [
    ...['Engineering', 'Sales', 'Marketing', 'Finance', 'Human Resources', 'Operations'],
    ...['Legal', 'Information Technology', 'Customer Support', 'Product'],
  ],
  countries: [
    ...['United States', 'Germany', 'France', 'United Kingdom', 'India', 'Brazil', 'Japan'],
    ...['Canada', 'Spain', 'Italy', 'Poland', 'Netherlands', 'Sweden', 'Norway', 'Finland'],
    ...['Denmark', 'Greece', 'Israel', 'Egypt', 'Mexico', 'Portugal', 'Austria', 'Chile'],
  ],
  industries: names(60, 1).map((name) => `${name} Services`),
  technologies: names(150, 2).map((name) => `${name}.js`),
  cities: names(2000, 3),
  firstNames: [...names(1500, 4), 'Юлия', 'Ольга', 'Γιώργος', '伟', '花子', 'محمد', 'דוד', 'Zoë'],
  lastNames: [...names(30_000, 5), 'Иванов', 'Παππάς', '王', '山田', 'كريم', 'כהן', 'Müller'],
  companyWords: names(9000, 6),
}

/** Deterministic, uniform in [0, 1). */
export function createRandom(seed: number) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

function* csvOf(
  { contacts, companies }: GeneratedDirectory,
  { from, to }: Part,
): Generator<string> {
  const random = createRandom(1)
  const { levels, seniorities, departments, countries, industries } = vocabulary
  const { technologies, cities, firstNames, lastNames, companyWords } = vocabulary
  const below = (n: number) => Math.floor(n * random())
  // A few are everywhere, most are rare.
  const pick = <T>(items: T[]) => items[Math.floor(items.length * random() ** 3)] as T
  let text = `${directoryColumns.join(',')}\n`
  let made = 0
  for (let company = 0; company < companies; company++) {
    const name = `${pick(companyWords)} ${companyWords[below(companyWords.length)]}`
    const domain = `${name.toLowerCase().replace(' ', '-')}${company}.example`
    const used = Array.from({ length: 1 + below(6) }, () => pick(technologies)).join(';')
    const about = `"${name}",${domain},${pick(industries)},${Math.ceil(random() ** 4 * 20_000)},${used}`
    const left = contacts - made
    const isLast = company === companies - 1
    const people = isLast
      ? left
      : Math.min(left, Math.round((2 * left * random()) / (companies - company)))
    for (const end = made + people; made < end; made++) {
      const [first, last] = [pick(firstNames), pick(lastNames)]
      const level = below(levels.length)
      const department = departments[below(departments.length)] ?? ''
      const address = random() < 0.85 ? `p${made.toString(36)}.${company % 977}@${domain}` : ''
      const row = `${first},${last},"${levels[level]} ${department}",${seniorities[level]},${department},${about},${pick(cities)},${pick(countries)},https://www.linkedin.com/in/person-${made},${address}\n`
      if (made >= from && made < to) text += row
    }
    if (text.length < 1 << 16) continue
    yield text
    text = ''
  }
  yield text
}

/** Pronounceable, capitalised, all different. */
function names(count: number, seed: number): string[] {
  const random = createRandom(seed)
  const made = new Set<string>()
  while (made.size < count) {
    const length = 2 + Math.floor(2.4 * random())
    const parts = Array.from({ length }, () => syllables[Math.floor(syllables.length * random())])
    const name = parts.join('')
    made.add(name.charAt(0).toUpperCase() + name.slice(1))
  }
  return [...made]
}
