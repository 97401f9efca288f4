import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import { importText } from '../../../test/directory-files.ts'
import { patience } from '../../../test/patience.ts'
import type { DirectoryFilters } from './schema.ts'
import { listKnownAddresses, searchDirectory } from './search.ts'

let ctx: TestContext
beforeAll(async () => {
  ctx = await testContext()
  await importText(
    ctx,
    `first_name,last_name,title,seniority,department,email,city,country,company,domain,industry,employee_count,technologies
Ada,Lovelace,Chief Analyst,c_suite,Research,ada@analytical.example,London,United Kingdom,Analytical Engines,analytical.example,Machinery,51,"Punched cards;C++"
Zoë,Åström-Müller,"Head of Sales, EMEA",head,Sales,zoe@analytical.example,Malmö,SE,Analytical Engines,analytical.example,Machinery,51,"Punched cards;C++"
José,Núñez,Software Engineer,senior,Engineering,jose@loom.example,São Paulo,Brasil,Jacquard Loom,loom.example,Textiles,5000,C
Екатерина,Иванова,Директор по продажам,director,Продажи,kate@loom.example,Москва,Russia,Jacquard Loom,loom.example,Textiles,5000,C
花子,山田,営業部長,manager,営業,hanako@yamada.example,東京,日本,山田商事,yamada.example,商社,11,
محمد,كريم,مدير المبيعات,manager,مبيعات,m@noor.example,القاهرة,Egypt,شركة النور,noor.example,Trade,1,
דוד,כהן,מנהל מכירות,manager,מכירות,,חיפה,Israel,כהן בע״מ,cohen.example,Trade,0,
Bob,O'Neil,Engineer,entry,Engineering,,Berlin,Germany,,,,,
`.replace('Berlin,Germany,,', 'Berlin,Germany,Nameless,'),
  )
})
afterAll(() => ctx[Symbol.asyncDispose]())

const search = (filters: DirectoryFilters, limit = 100, startingAfter?: string) =>
  searchDirectory(ctx.db, filters, { limit, startingAfter })
const found = async (filters: DirectoryFilters) =>
  (await search(filters)).items.map(({ first_name }) => first_name).sort()

const [Ada, Zoe, Jose, Kate, Hanako, Mohammed, David, Bob] = [
  ...['Ada', 'Zoë', 'José', 'Екатерина', '花子', 'محمد', 'דוד', 'Bob'],
]

const queries: [string, string, (string | undefined)[]][] = [
  ['a name', 'lovelace', [Ada]],
  ['the beginning of a name', 'lov', [Ada]],
  ['a name in other letters', 'LOVELACE', [Ada]],
  ['a name without its accents', 'nunez jose', [Jose]],
  ['a name with accents of its own', 'lövelace', [Ada]],
  ['a part of a double name', 'muller', [Zoe]],
  ['an apostrophe', "o'neil", [Bob]],
  ['no apostrophe where there is one', 'oneil', [Bob]],
  ['a word of the title', 'analyst', [Ada]],
  ['a word of the company', 'jacquard', [Jose, Kate]],
  ['words of the name, the title and the company', 'ada chief engines', [Ada]],
  ['words of which one is nowhere', 'ada sales', []],
  ['a misspelt name', 'lovelcae', [Ada]],
  ['a name with a letter missing', 'lovlace', [Ada]],
  ['a name with two slips', 'lovellase', [Ada]],
  ['a misspelt name in Cyrillic', 'иванава', [Kate]],
  ['a Cyrillic name', 'екат', [Kate]],
  ['two characters of a Japanese name', '山田', [Hanako]],
  ['characters within a Japanese title', '部長', [Hanako]],
  ['characters that are there, but not together', '花山', []],
  ['an Arabic name', 'كريم', [Mohammed]],
  ['an Arabic name with vowels', 'مُحَمَّد', [Mohammed]],
  ['a Hebrew name', 'כהן', [David]],
  ['nothing but punctuation', '!!! ---', []],
  ['three letters that nobody has, a letter away from a name', 'JOE', []],
  ['four letters that nobody has, a letter away from a title', 'sals', []],
  ['two letters, which have to be the whole word', 'lo', []],
]
test.each(queries)('a query for %s: %j', async (_what, query, people) => {
  expect(await found({ query })).toEqual(people.sort())
})

const filters: [DirectoryFilters, (string | undefined)[]][] = [
  [{ titles: ['engineer'] }, [Jose, Bob]],
  [{ titles: ['engineer software'] }, [Jose]],
  [{ titles: ['sales', 'analyst'] }, [Ada, Zoe]],
  [{ titles: ['eng'] }, []],
  [{ titles: ['!!!'] }, []],
  [{ seniorities: ['C-Suite', 'manager'] }, [Ada, Hanako, Mohammed, David]],
  [{ departments: ['продажи'] }, [Kate]],
  [{ company_names: ['engines analytical'] }, [Ada, Zoe]],
  [{ company_domains: ['https://www.Loom.example/about'] }, [Jose, Kate]],
  [{ company_domains: ['no domain'] }, []],
  [{ industries: ['textiles'] }, [Jose, Kate]],
  [{ employee_count: { min: 51 } }, [Ada, Zoe, Jose, Kate]],
  [{ employee_count: { min: 12, max: 60 } }, [Ada, Zoe]],
  [{ employee_count: { max: 0 } }, [David]],
  [{ employee_count: {} }, [Ada, Zoe, Jose, Kate, Hanako, Mohammed, David, Bob]],
  [{ countries: ['GB', 'Schweden', 'Brazil'] }, [Ada, Zoe, Jose]],
  [{ countries: ['russian federation'] }, [Kate]],
  [{ cities: ['MALMO', 'sao paulo', '東京'] }, [Zoe, Jose, Hanako]],
  [{ technologies: ['c++'] }, [Ada, Zoe]],
  [{ technologies: ['C'] }, [Jose, Kate]],
  [{ has_email: false }, [Bob]],
  [{ titles: ['engineer'], countries: ['de'], has_email: false, query: 'bob' }, [Bob]],
  [{ titles: ['engineer'], countries: ['fr'] }, []],
  [{ titles: [], countries: [], query: '' }, [Ada, Zoe, Jose, Kate, Hanako, Mohammed, David, Bob]],
]
test.each(filters)('%j finds %j', async (filter, people) => {
  expect(await found(filter)).toEqual([...people].sort())
  expect(await search(filter, 1)).toMatchObject({ total: people.length, total_is_estimate: false })
})

describe('pages', () => {
  test.each([{}, { seniorities: ['manager', 'c_suite', 'head', 'senior'] }])(
    'of %j are walked newest first, each contact once',
    async (filter) => {
      const all = (await search(filter)).items.map(({ id }) => id)
      expect(all).toEqual(all.toSorted().reverse())
      const walked: string[] = []
      for (let after: string | undefined, page = 0; page < 10; page++) {
        const { items, next_starting_after } = await search(filter, 2, after)
        walked.push(...items.map(({ id }) => id))
        after = next_starting_after
        if (after === undefined) break
      }
      expect(walked).toEqual(all)
    },
  )

  test('go on behind a contact that is gone', async () => {
    const { items } = await search({ seniorities: ['manager'] })
    const [first, second, third] = items.map(({ id }) => id) as [string, string, string]
    const gone = `${second.slice(0, -1)}${second.endsWith('0') ? '1' : '0'}`
    const after = gone > second ? gone : first
    const rest = (await search({ seniorities: ['manager'] }, 5, after)).items.map(({ id }) => id)
    expect(rest).toEqual([second, third])
  })
})

test('a page goes on behind itself when somebody of it is removed while it is read', async () => {
  const { peek } = ctx.database
  const { items } = await search({ seniorities: ['manager'] })
  const [first, second] = items.map(({ id }) => id) as [string, string]
  const isReading = async () => {
    const { rows } = await sql`
      select from pg_locks l join pg_database d on d.oid = l.database
      where d.datname = current_database() and not l.granted`.execute(peek)
    return rows.length > 0
  }
  const [removed] = await peek
    .selectFrom('directory_contacts')
    .selectAll()
    .where('id', '=', first)
    .execute()
  const searching = await peek.transaction().execute(async (tx) => {
    // Ids are found without it, and rows are shown with what it has of companies.
    await sql`lock table directory_companies in access exclusive mode`.execute(tx)
    const answer = search({ seniorities: ['manager'] }, 2)
    await expect.poll(isReading, patience).toBe(true)
    await tx.deleteFrom('directory_contacts').where('id', '=', first).execute()
    // The transaction does not wait for what waits for it.
    return { answer }
  })
  const page = await searching.answer
  expect(page.items.map(({ id }) => id)).toEqual([second])
  expect(page.next_starting_after).toBe(second)
  if (removed) await peek.insertInto('directory_contacts').values(removed).execute()
})

test('contacts of a query of ids are left out and not counted', async () => {
  const { items } = await search({ titles: ['engineer'] })
  const leftOut = sql`select ${items[0]?.id}::uuid`
  const page = { limit: 10, startingAfter: undefined }
  const others = await searchDirectory(ctx.db, { titles: ['engineer'] }, page, leftOut)
  expect(others.total).toBe(1)
  expect(others.items.map(({ id }) => id)).toEqual([items[1]?.id])
  expect((await searchDirectory(ctx.db, {}, page, leftOut)).total).toBe(7)
})

test('no search shows an address', async () => {
  const { items } = await search({})
  expect(JSON.stringify(items)).not.toContain('@')
})

test('without pg_trgm one slip is still found, and more are not', async () => {
  await sql`alter index directory_terms_trigrams rename to hidden`.execute(ctx.database.peek)
  expect(await found({ query: 'lovlace' })).toEqual([Ada])
  expect(await found({ query: 'lovellase' })).toEqual([])
  await sql`alter index hidden rename to directory_terms_trigrams`.execute(ctx.database.peek)
})

test('the addresses at a domain are known with the names of their owners', async () => {
  expect(await listKnownAddresses(ctx.db, 'analytical.example', 10)).toHaveLength(2)
  expect(await listKnownAddresses(ctx.db, 'loom.example', 1)).toMatchObject([
    { email_folded: expect.stringMatching(/@loom\.example$/) },
  ])
  expect(await listKnownAddresses(ctx.db, 'nobody.example', 10)).toEqual([])
})
