// Also runs on PostgreSQL 15: plans.
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import { importText } from '../../../test/directory-files.ts'
import { foundInPages } from './facet-queries.ts'
import { isLong, listPlans, type Plan, type Search } from './plan.ts'
import type { DirectoryFilters } from './schema.ts'
import { findContacts, readSearch } from './search.ts'
import { foundByIndex, foundByWalk, preferringIndexes } from './search-queries.ts'

const size = 24_000
const [levels, departments] = [
  ['Chief', 'Head of', 'Senior', 'Junior'],
  ['Sales', 'Legal', 'Finance', 'Human Resources', 'Marketing'],
]
const countries = ['DE', 'FR', 'JP', 'BR']
const of = <T>(items: T[], at: number) => items[at % items.length] as T

/** Most have what some do not, and whoever is of one country came together. */
const personAt = (at: number) => ({
  email: at % 9 === 0 ? '' : `p${String(at).padStart(6, '0')}@c${at % 400}.example`,
  linkedin_url: `linkedin.com/in/p${String(at).padStart(6, '0')}`,
  first_name: `Name${at % 37}`,
  title: `${of(levels, at)} ${of(departments, at * 7 + (at % 11))}`,
  seniority: at % 5 === 0 ? 'vp' : 'senior',
  city: `City ${at % 90}`,
  country: of(countries, Math.floor((at * countries.length) / size)),
  has_email: at % 9 === 0 ? 'no' : 'yes',
  domain: `c${at % 400}.example`,
  employee_count: String((at % 400) * 7),
})
type Person = ReturnType<typeof personAt>
const people = Array.from({ length: size }, (_, at) => personAt(at))

let ctx: TestContext
let ids: string[]
beforeAll(async () => {
  ctx = await testContext()
  const header = Object.keys(personAt(0)).join(',')
  await importText(ctx, [header, ...people.map((each) => Object.values(each).join(','))].join('\n'))
  const { rows } = await sql<{ id: string }>`
    select id from directory_contacts order by linkedin_url`.execute(ctx.db)
  ids = rows.map(({ id }) => id)
})
afterAll(() => ctx[Symbol.asyncDispose]())

const between = (from: number, to: number) => (each: Person) =>
  Number(each.employee_count) >= from && Number(each.employee_count) <= to
const many = Array.from({ length: 40 }, (_, at) => at)

/** Filters, and who meets them. */
const cases: [DirectoryFilters, (each: Person) => boolean][] = [
  [{}, () => true],
  [{ has_email: true }, (each) => each.has_email === 'yes'],
  [{ seniorities: ['senior'] }, (each) => each.seniority === 'senior'],
  [
    { seniorities: ['senior'], has_email: true },
    (each) => each.seniority === 'senior' && each.has_email === 'yes',
  ],
  // Two that hardly meet, and two that never do.
  [
    { countries: ['Germany'], cities: ['City 3'] },
    (each) => each.country === 'DE' && each.city === 'City 3',
  ],
  [
    { seniorities: ['vp'], company_domains: ['c1.example'] },
    (each) => each.seniority === 'vp' && each.domain === 'c1.example',
  ],
  [
    { titles: ['resources human', 'chief'], countries: ['FR', 'JP'] },
    (each) => /Human|Chief/.test(each.title) && ['FR', 'JP'].includes(each.country),
  ],
  [{ query: 'name1' }, (each) => each.first_name.startsWith('Name1')],
  [
    { query: 'nam sal', has_email: false },
    (each) => each.title.endsWith('Sales') && each.has_email === 'no',
  ],
  [{ employee_count: { min: 30, max: 700 } }, between(30, 700)],
  [
    { employee_count: { min: 2600 }, seniorities: ['senior'] },
    (each) => between(2600, 1e9)(each) && each.seniority === 'senior',
  ],
  [
    { cities: many.map((at) => `City ${at}`), has_email: true },
    (each) => many.includes(Number(each.city.slice(5))) && each.has_email === 'yes',
  ],
  [
    {
      cities: many.map((at) => `City ${at}`),
      company_domains: many.map((at) => `c${at * 3}.example`),
      countries: ['BR'],
    },
    (each) =>
      many.includes(Number(each.city.slice(5))) &&
      many.some((at) => each.domain === `c${at * 3}.example`) &&
      each.country === 'BR',
  ],
]

/** Those that would be chosen sometime, and a walk however few it finds. */
function plansOf(search: Search): Plan[] {
  const walk: Plan = { way: 'walk', indexed: 0, cost: 0 }
  return [...listPlans(search).filter(({ way }) => way === 'index'), walk]
}

test.each(cases)(
  'whatever plan is forced, %j has the same contacts and total',
  async (filters, isMet) => {
    const met = ids
      .filter((_, at) => isMet(people[at] as Person))
      .sort()
      .reverse()
    const search = (await readSearch(ctx.db, filters)) as Search
    const plans = plansOf(search)
    const long = search.groups.filter(isLong).length
    expect(plans.length).toBeGreaterThan(long > 1 ? 1 : search.groups.length)
    const sorted = ids.toSorted()
    const cursors = [undefined, sorted[size - 300], sorted[11_000], met.at(-3), sorted[2]]
    for (const startingAfter of cursors) {
      for (const plan of plans) {
        const found = await findContacts(ctx.db, search, plan, { limit: 25, startingAfter })
        const rest = startingAfter ? met.filter((id) => id < startingAfter) : met
        expect(found.ids, `${plan.way} ${plan.indexed}`).toEqual(rest.slice(0, 26))
        if (met.length <= 10_000) expect(found.total).toBe(met.length)
        else expect(found.total / met.length).toBeCloseTo(1, 0)
        if (met.length > 10_000) expect(found.total).toBeGreaterThan(10_000)
      }
    }
  },
)

test('contacts that are left out are left out by every plan', async () => {
  const leftOut = sql`select id from directory_contacts where city = 'City 7'`
  const filters = { seniorities: ['senior'], has_email: true }
  const met = ids
    .filter((_, at) => {
      const { seniority, has_email, city } = people[at] as Person
      return seniority === 'senior' && has_email === 'yes' && city !== 'City 7'
    })
    .sort()
    .reverse()
  const search = (await readSearch(ctx.db, filters)) as Search
  for (const plan of plansOf(search)) {
    const page = { limit: 100, startingAfter: undefined }
    const { ids: found } = await findContacts(ctx.db, search, plan, page, leftOut)
    expect(found).toEqual(met.slice(0, 101))
  }
})

test('whoever is left out is looked up by key, which takes alike however many there are', async () => {
  const leftOut = sql`
    select contact_id from acquired_contacts where workspace_id = ${ctx.newId()}::uuid`
  const { groups } = (await readSearch(ctx.db, { seniorities: ['senior'] })) as Search
  const asked = { groups, leftOut }
  const found = [foundByWalk(asked, 1000), foundByIndex(asked, 1), foundInPages(asked, 0.5)]
  for (const query of found) {
    const { rows } = await preferringIndexes(ctx.db, (tx) =>
      sql<Record<string, string>>`explain ${query}`.execute(tx),
    )
    const plan = rows.flatMap((row) => Object.values(row)).join('\n')
    expect(plan).toMatch(/acquired_contacts_pkey.*\n *Index Cond: .*contact_id = /)
    expect(plan).not.toMatch(/hashed|Materialize|Join/)
  }
})
