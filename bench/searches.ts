import { sql } from 'kysely'
import { createRandom, vocabulary } from './directory-generator.ts'
import { type Figure, percentile } from './figure.ts'
import type { BenchService } from './service.ts'

const queries = 500
const warmUp = 20

/**
 * Searches over HTTP, one after the other: 1 to 4 filters, half of them with a text, some of it
 * misspelt, on the first page or from anywhere in the directory.
 */
export async function measureSearch(
  service: BenchService,
  api: { address: string },
): Promise<Figure[]> {
  const bodies = await makeQueries(service)
  for (const body of bodies.slice(0, warmUp)) await search(service, api.address, body)
  const times: number[] = []
  for (const body of bodies) {
    const startedMs = performance.now()
    await search(service, api.address, body)
    times.push(performance.now() - startedMs)
  }
  return [['p50', 0.5, 20] as const, ['p99', 0.99, 150] as const].map(([name, share, target]) => {
    const value = percentile(times, share)
    return {
      name: `search, ${queries} mixed queries, ${name}`,
      value,
      unit: 'ms',
      target: `< ${target} ms`,
      met: value < target,
    }
  })
}

async function search({ key }: BenchService, address: string, body: object) {
  const response = await fetch(`${address}/api/v1/leadbank/find`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const answer = await response.text()
  if (response.status !== 200) throw new Error(answer)
}

type Pick = <T>(items: T[]) => T

export async function makeQueries({ ctx }: BenchService): Promise<object[]> {
  const random = createRandom(7)
  const pick: Pick = (items) => items[Math.floor(items.length * random())] as never
  const { rows: cursors } = await sql<{ id: string }>`
    select id
    from (select id, row_number() over (order by id) as number from directory_contacts) numbered
    where number % 20011 = 7`.execute(ctx.db)
  return Array.from({ length: queries }, (_, at) => {
    const chosen = new Set(Array.from({ length: 1 + (at % 4) }, () => pick(Object.values(filters))))
    const asked = [...chosen].map((filter) => filter(pick))
    const text = at % 2 === 0 ? [{ query: textOf(pick, random) }] : []
    const page = random() < 0.4 ? [{ starting_after: pick(cursors).id }] : []
    return Object.assign({ limit: pick([25, 25, 100]) }, ...asked, ...text, ...page) as object
  })
}

const { levels, seniorities, departments, countries, industries } = vocabulary
const { technologies, cities, firstNames, lastNames, companyWords } = vocabulary

const filters: Record<string, (pick: Pick) => object> = {
  titles: (pick) => ({ titles: [`${pick(levels)} ${pick(departments)}`, pick(departments)] }),
  seniorities: (pick) => ({ seniorities: [pick(seniorities), pick(seniorities)] }),
  departments: (pick) => ({ departments: [pick(departments)] }),
  company_names: (pick) => ({ company_names: [pick(companyWords)] }),
  industries: (pick) => ({ industries: [pick(industries), pick(industries)] }),
  employee_count: (pick) => ({
    employee_count: pick([{ min: 50, max: 200 }, { min: 1000 }, { min: 37, max: 4321 }]),
  }),
  countries: (pick) => ({ countries: [pick(countries), pick(countries), pick(countries)] }),
  cities: (pick) => ({ cities: Array.from({ length: 5 }, () => pick(cities)) }),
  technologies: (pick) => ({ technologies: [pick(technologies)] }),
  has_email: (pick) => ({ has_email: pick([true, false]) }),
}

/** One or two words as somebody types them: the beginning is enough, and a letter may be missing. */
function textOf(pick: Pick, random: () => number): string {
  const word = pick([firstNames, lastNames, departments, companyWords])
  const words = [pick(word), ...(random() < 0.5 ? [pick(lastNames)] : [])]
  return words
    .map((each) => (random() < 0.3 ? each.slice(0, 4) : each))
    .map((each) => (random() < 0.15 ? each.slice(0, 2) + each.slice(3) : each))
    .join(' ')
}
