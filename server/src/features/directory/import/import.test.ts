// Also runs on PostgreSQL 15: COPY and temporary tables.
import { readFile, rm, writeFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../../test/context.ts'
import {
  companiesIn,
  contactsIn,
  emptyDirectory,
  fileWith,
  importPath,
  importText,
  rejectionsIn,
  stopImports,
} from '../../../../test/directory-files.ts'
import { insertPeople } from '../../../../test/directory-rows.ts'
import { type OptedOut, optOut } from '../opt-out.ts'
import { reindexDirectory } from '../reindex.ts'
import type { DirectoryFilters } from '../schema.ts'
import { searchDirectory } from '../search.ts'
import { readStats } from '../stats-queries.ts'
import type { ImportProgress } from './import.ts'

let ctx: TestContext
beforeAll(async () => {
  ctx = await testContext()
})
afterAll(() => ctx[Symbol.asyncDispose]())
beforeEach(() => emptyDirectory(ctx))

const find = (filters: DirectoryFilters, limit = 100) =>
  searchDirectory(ctx.db, filters, { limit, startingAfter: undefined })
const namesOf = async (filters: DirectoryFilters) =>
  (await find(filters)).items.map(({ first_name }) => first_name).sort()
const idsByKey = async () => {
  const rows = await ctx.database.peek
    .selectFrom('directory_contacts')
    .select(['key', 'id'])
    .orderBy('key')
    .execute()
  return rows.map(({ key, id }) => [key, id])
}

describe('a contact that is imported again', () => {
  test('keeps its id and what the new file does not say, and takes what it says', async () => {
    await importText(ctx, 'email,first_name,title,city\nAda@a.example,Ada,Engineer,London\n')
    const before = await idsByKey()
    const result = await importText(ctx, 'email,title,country,city\nada@A.example,CTO,UK,\n')
    expect(result).toMatchObject({ contacts_created: 0, contacts_updated: 1 })
    expect(await idsByKey()).toEqual(before)
    expect(await contactsIn(ctx)).toMatchObject([
      { key: 'e:ada@a.example', first_name: 'Ada', title: 'CTO', city: 'London', country: 'UK' },
    ])
    expect(await namesOf({ titles: ['cto'] })).toEqual(['Ada'])
    expect(await namesOf({ titles: ['engineer'] })).toEqual([])
    expect(await namesOf({ countries: ['GB'], cities: ['London'] })).toEqual(['Ada'])
  })

  test('keeps what is known of its address where the new file says nothing of it', async () => {
    const file = 'email,email_status\na@a.example,verified\nb@a.example,\nc@a.example,\n'
    const statuses = async () =>
      (await contactsIn(ctx)).map(({ email_status }) => email_status).join()
    await importText(ctx, `${file}c@a.example,likely\nC@a.example,\n`)
    expect(await statuses()).toBe('verified,unknown,likely')
    await importText(ctx, 'email,title\na@a.example,CTO\nb@a.example,CFO\nc@a.example,CEO\n')
    expect(await statuses()).toBe('verified,unknown,likely')
    await importText(ctx, 'email,email_status\na@a.example,accept_all\nb@a.example,valid\n')
    expect(await statuses()).toBe('likely,verified,likely')
  })

  describe('with an address that is wrong now', () => {
    const header = 'first_name,last_name,title,email,domain,linkedin_url,email_status\n'
    const row = (status: string, title = '') =>
      `Ada,Lovelace,${title},ada@a.example,a.example,linkedin.com/in/ada,${status}\n`

    test('is who it was without it, until a file says that it is right', async () => {
      await importText(ctx, header + row('verified', 'CTO'))
      const before = await idsByKey()
      const result = await importText(ctx, header + row('invalid'))
      expect(result).toMatchObject({ contacts_created: 0, contacts_updated: 1 })
      expect(await idsByKey()).toEqual(before)
      const without = { email: null, email_status: null, has_email: false }
      expect(await contactsIn(ctx)).toMatchObject([{ title: 'CTO', ...without }])
      expect((await find({ has_email: true })).total).toBe(0)
      expect((await find({ has_email: false, titles: ['CTO'] })).total).toBe(1)
      expect(await importText(ctx, header + row('invalid'))).toMatchObject({
        contacts_unchanged: 1,
      })
      await importText(ctx, header + row(''))
      expect(await contactsIn(ctx)).toMatchObject([
        { email: 'ada@a.example', email_status: 'unknown', has_email: true },
      ])
      expect(await idsByKey()).toEqual(before)
    })

    test('has the same terms and counts as after a reindex', async () => {
      const state = async () => {
        const { rows } = await sql`
          select key as name, terms::text as value from directory_contacts
          union all select kind::text || value, contacts::text from directory_terms where contacts <> 0
          order by 1`.execute(ctx.db)
        return rows
      }
      const elsewhere = (status: string) => row(status).replace('@a.example', '@b.example')
      await importText(ctx, header + elsewhere('verified'))
      await importText(ctx, header + elsewhere('invalid'))
      const imported = await state()
      await reindexDirectory(ctx)
      expect(await state()).toEqual(imported)
    })

    test('loses it in the file that it was in, and none that a later row gives', async () => {
      await importText(ctx, header + row('verified', 'CTO') + row('invalid') + row('', 'CEO'))
      expect(await contactsIn(ctx)).toMatchObject([{ title: 'CEO', email: 'ada@a.example' }])
      await importText(ctx, header + row('verified') + row('invalid'))
      expect(await contactsIn(ctx)).toMatchObject([{ title: 'CEO', email: null }])
    })

    test('is known by what a later row says, where nobody has the address', async () => {
      const bare = ',,,ada@a.example,,,invalid\n'
      await importText(ctx, header + bare + row('invalid', 'CTO'))
      const before = await idsByKey()
      expect(before.map(([key]) => key)).toEqual(['l:in/ada'])
      await importText(ctx, header + row('', 'CEO').replace('ada@a.example', ''))
      expect(await idsByKey()).toEqual(before)
    })

    test('loses it by a file that has nothing but addresses and how good they are', async () => {
      await importText(ctx, header + row('verified', 'CTO'))
      const before = await idsByKey()
      const file = 'email,email_status\nnobody@a.example,invalid\nADA@a.example,invalid\n'
      const result = await importText(ctx, file)
      expect(result).toMatchObject({ contacts_created: 0, contacts_updated: 1, rejected: 1 })
      expect(result.rejections).toEqual([
        '2: nobody has its invalid address, and it has neither a LinkedIn profile nor a name with a company',
      ])
      expect(await idsByKey()).toEqual(before)
      expect(await contactsIn(ctx)).toMatchObject([{ title: 'CTO', email: null, has_email: false }])
      // A first and last name without a company tell no more of who is meant.
      await importText(ctx, header + row('verified'))
      const named = 'email,first_name,last_name,email_status\nada@a.example,Ada,Lovelace,invalid\n'
      expect(await importText(ctx, named)).toMatchObject({ contacts_updated: 1, rejected: 0 })
      expect(await contactsIn(ctx)).toMatchObject([{ title: 'CTO', email: null, has_email: false }])
    })

    test('costs nobody else their row', async () => {
      await importText(ctx, header + row('verified'))
      const others = row('invalid').replaceAll('Ada,', 'Eve,').replace('in/ada', 'in/eve')
      await importText(ctx, header + row('invalid') + others)
      expect((await contactsIn(ctx)).map(({ key }) => key)).toEqual(['e:ada@a.example', 'l:in/eve'])
    })
  })

  test('and says nothing new is left as it is', async () => {
    const text =
      'email,first_name,company,domain\na@a.example,Ada,A Ltd,a.example\n,Bob,A Ltd,a.example\n'
    await importText(ctx, text)
    const before = await ctx.database.peek.selectFrom('directory_contacts').selectAll().execute()
    ctx.clock.advance(1000)
    expect(await importText(ctx, text)).toMatchObject({
      contacts_created: 0,
      contacts_updated: 0,
      contacts_unchanged: 2,
      companies_created: 0,
      companies_updated: 0,
    })
    expect(await ctx.database.peek.selectFrom('directory_contacts').selectAll().execute()).toEqual(
      before,
    )
  })

  test.each([
    [
      'its address, in any letters',
      'email\nAda@A.example\n',
      'first_name,email\nAda,ada@a.EXAMPLE\n',
    ],
    [
      'its profile, however it is written',
      'linkedin_url\nhttps://www.linkedin.com/in/Ada/\n',
      'first_name,linkedin_url\nAda,linkedin.com/in/ada?x=1\n',
    ],
    [
      'its name and company, without accents and case',
      'first_name,last_name,domain\nJosé,Núñez,a.example\n',
      'first_name,last_name,website\nJOSE,Nunez,https://a.example/x\n',
    ],
  ])('is known by %s', async (_by, first, second) => {
    await importText(ctx, first)
    const before = await idsByKey()
    expect(await importText(ctx, second)).toMatchObject({ contacts_created: 0 })
    expect(await idsByKey()).toEqual(before)
  })

  test('of the sample is one of the directory from then on', async () => {
    await insertPeople(ctx, [{ email: 'ada@a.example' }])
    await ctx.database.peek.updateTable('directory_contacts').set({ sample: true }).execute()
    await importText(ctx, 'email\nada@a.example\n')
    expect(await contactsIn(ctx)).toMatchObject([{ sample: false }])
  })
})

describe('a contact that a file has twice', () => {
  test('is one, with what the later row says, and else what the earlier one said', async () => {
    const result = await importText(
      ctx,
      'email,first_name,title,city,domain\nada@a.example,Ada,Engineer,London,a.example\nbob@a.example,Bob,,,\nADA@a.example,,CTO,,b.example\n',
    )
    expect(result).toMatchObject({ rows: 3, contacts_created: 2 })
    expect(await contactsIn(ctx)).toMatchObject([
      { first_name: 'Ada', title: 'CTO', city: 'London', company: 'd:b.example' },
      { first_name: 'Bob' },
    ])
    expect(await namesOf({ titles: ['CTO'], company_domains: ['b.example'] })).toEqual(['Ada'])
  })

  test('under a short key among others', async () => {
    const urls = ['x', 'xq', 'x', 'x']
    const rows = urls.map((url, at) => `${'ABCD'.slice(0, at)},${url},a.example`)
    await importText(ctx, `first_name,linkedin_url,domain\n${rows.join('\n')}\n`)
    expect((await contactsIn(ctx)).map(({ key }) => key)).toEqual(['l:x', 'l:xq'])
  })

  test('in two batches', async () => {
    const result = await importText(
      ctx,
      'email,title\na@a.example,One\nb@a.example,Two\na@a.example,Three\nc@a.example,Four\n',
      { batchRows: 2 },
    )
    expect(result).toMatchObject({ contacts_created: 3, contacts_updated: 1 })
    expect(await find({ titles: ['three'] })).toMatchObject({ total: 1 })
    expect(await find({ titles: ['one'] })).toMatchObject({ total: 0 })
  })
})

describe('a company', () => {
  test('is one by its domain, with what all rows say of it', async () => {
    const result = await importText(
      ctx,
      'email,company,domain,industry,employee_count\na@a.example,A,a.example,Mining,\nb@a.example,A Ltd,www.A.example,,50\nc@b.example,A,,,\n',
    )
    expect(result).toMatchObject({ companies_created: 2 })
    expect(await companiesIn(ctx)).toMatchObject([
      { key: 'd:a.example', name: 'A Ltd', industry: 'Mining', employee_count: 50 },
      { key: 'n:a', name: 'A', domain: null },
    ])
  })

  test('without a name is called by its domain', async () => {
    await importText(ctx, 'email,domain\na@a.example,a.example\n')
    expect(await companiesIn(ctx)).toMatchObject([{ name: 'a.example' }])
  })

  test('that changes is what its people are found by, of whom no row of the file is', async () => {
    await importText(
      ctx,
      'first_name,email,company,domain,industry\nAda,a@a.example,Old Name,a.example,Mining\nBob,b@b.example,Other,b.example,Mining\n',
    )
    const result = await importText(
      ctx,
      'company,domain,industry,technologies\nNew Title,a.example,Banking,"React; C#"\n',
    )
    expect(result).toMatchObject({ kind: 'companies', companies_updated: 1 })
    expect(await namesOf({ company_names: ['new title'], industries: ['banking'] })).toEqual([
      'Ada',
    ])
    expect(await namesOf({ technologies: ['c#'] })).toEqual(['Ada'])
    expect(await namesOf({ company_names: ['old'] })).toEqual([])
    expect(await namesOf({ industries: ['mining'] })).toEqual(['Bob'])
  })

  test.each([20, 700])('and %d others at once', async (count) => {
    const rows = (size: number) =>
      Array.from(
        { length: count },
        (_, at) => `p${at}@c${at}.example,Company ${at},c${at}.example,${size}`,
      )
    const header = 'email,company,domain,employee_count'
    await importText(ctx, [header, ...rows(5)].join('\n'))
    const result = await importText(ctx, [header, ...rows(500)].join('\n'))
    expect(result).toMatchObject({ companies_updated: count, contacts_updated: 0 })
    expect(await find({ employee_count: { min: 400 } })).toMatchObject({ total: count })
    expect(await find({ employee_count: { max: 400 } })).toMatchObject({ total: 0 })
  })

  test('is the same wherever it is named again, however much is told of the others', async () => {
    const described = (industry: string) =>
      Array.from({ length: 2000 }, (_, at) => `c${at}.example,${industry},${'x'.repeat(9000)}`)
    const rows = [...described('Mining'), ...described('Banking')]
    const result = await importText(ctx, ['domain,industry,description', ...rows].join('\n'))
    expect(result).toMatchObject({ rows: 4000, companies_created: 2000, companies_updated: 2000 })
    const companies = await companiesIn(ctx)
    expect(companies).toHaveLength(2000)
    expect(new Set(companies.map(({ industry }) => industry))).toEqual(new Set(['Banking']))
  })

  test('gives its new people what the directory knows of it and the file does not say', async () => {
    await importText(ctx, 'company,domain,technologies\nA Ltd,a.example,React; C#\n')
    const text = 'first_name,email,domain\nAda,a@a.example,a.example\nBob,b@b.example,b.example\n'
    await importText(ctx, text)
    expect(await namesOf({ technologies: ['c#'] })).toEqual(['Ada'])
    expect(await namesOf({ company_names: ['a ltd'] })).toEqual(['Ada'])
    expect(await namesOf({ company_domains: ['b.example'] })).toEqual(['Bob'])
    expect((await companiesIn(ctx)).map(({ name }) => name)).toEqual(['A Ltd', 'b.example'])
  })

  test('known by its name alone changes its people too', async () => {
    await importText(ctx, 'email,company,industry\na@a.example,Plain Name,Mining\n')
    await importText(ctx, 'email,company,industry\nb@b.example,Plain Name,Banking\n')
    expect(await find({ industries: ['banking'] })).toMatchObject({ total: 2 })
  })
})

const termCounts = async () => {
  const { rows } = await sql<{ value: string; kind: string; contacts: number }>`
    select value, kind::text, contacts from directory_terms where contacts <> 0
    order by value, kind`.execute(ctx.db)
  return rows
}

test.each([
  ['that the file does not name', ''],
  ['of which the file says something new', 'zoe@x.example,a.example,Farming\n'],
])('who leaves a company %s is counted at the new one alone', async (_, more) => {
  const header = 'email,domain,industry\n'
  const others = 'bob@x.example,a.example,Mining\neve@x.example,b.example,Banking\n'
  await importText(ctx, `${header}ada@x.example,a.example,Mining\n${others}`)
  await importText(ctx, `${header}ada@x.example,b.example,Banking\n${more}`)
  const imported = await termCounts()
  const banking = imported.find(({ kind, value }) => kind === 'i' && value === 'banking')
  expect(banking?.contacts).toBe(2)
  await reindexDirectory(ctx)
  expect(await termCounts()).toEqual(imported)
})

describe('more than a batch', () => {
  test('is found whole, and what a batch has committed before the next', async () => {
    const people = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, at) => `Person,p${from + at}@a.example,a.example`)
    const header = 'first_name,email,domain'
    await importText(ctx, [header, ...people(0, 30_000)].join('\n'))
    const more = await fileWith([header, ...people(25_000, 50_000)].join('\n'))
    let importing: ReturnType<typeof importPath>
    {
      await using stop = await stopImports(ctx, 25_000)
      importing = importPath(ctx, more)
      await stop.reached()
      expect(await find({ query: 'person' }, 1)).toMatchObject({ total: 45_000 })
    }
    expect(await importing).toMatchObject({ contacts_created: 20_000, contacts_unchanged: 5000 })
    expect(await find({ query: 'person' }, 1)).toMatchObject({
      total: 50_000,
      total_is_estimate: true,
    })
  })

  test('has the same terms and counts as after a reindex', async () => {
    const text = (title: string, industry: string) =>
      Array.from(
        { length: 300 },
        (_, at) =>
          `P${at % 7},L${at},${title} ${at % 5},p${at}@${at % 3 ? 'x' : `c${at % 50}`}.example,c${at % 50}.example,${industry},${at % 4}`,
      )
    const header = 'first_name,last_name,title,email,domain,industry,employee_count'
    await importText(ctx, [header, ...text('Engineer', 'Mining')].join('\n'), { batchRows: 70 })
    const others = text('Head', 'Banking').slice(100)
    await importText(ctx, [header, ...others].join('\n'), { batchRows: 70 })
    await optOut(ctx, 'c7.example')
    const state = async () => {
      const { rows } = await sql`
        select key, terms, employees from directory_contacts order by key`.execute(ctx.db)
      return { contacts: rows, terms: await termCounts() }
    }
    const imported = await state()
    expect(imported.contacts).toHaveLength(294)
    await reindexDirectory(ctx)
    expect(await state()).toEqual(imported)
  })
})

describe('who asked to be removed', () => {
  test('is not imported again, by whatever the file knows them', async () => {
    await importText(
      ctx,
      'first_name,last_name,email,linkedin_url,domain\nAda,Lovelace,ada@a.example,linkedin.com/in/ada,a.example\n',
    )
    await optOut(ctx, 'ada@a.example')
    await optOut(ctx, 'gone.example')
    const result = await importText(
      ctx,
      `first_name,last_name,email,linkedin_url,domain
Ada,Lovelace,ADA@a.example,,a.example
Ada,L.,ada@private.example,https://linkedin.com/in/ADA/,
Ada,Lovelace,,,a.example
Bob,B,bob@sub.gone.example,,
Eve,E,eve@e.example,,gone.example
Zoe,Z,zoe@a.example,,a.example
`,
    )
    expect(result).toMatchObject({ contacts_created: 1, opted_out: 5, rejected: 0 })
    expect(result.rejections).toEqual([2, 3, 4, 5, 6].map((row) => `${row}: asked to be removed`))
    expect((await contactsIn(ctx)).map(({ first_name }) => first_name)).toEqual(['Zoe'])
    expect((await companiesIn(ctx)).map(({ domain }) => domain)).toEqual(['a.example'])
  })

  test('without a profile is not imported with one, unless by another address of the company', async () => {
    const header = 'first_name,last_name,email,linkedin_url,domain\n'
    await importText(ctx, `${header}Ada,Lovelace,ada@a.example,,a.example\n`)
    await optOut(ctx, 'ada@a.example')
    const rows =
      'Ada,Lovelace,,linkedin.com/in/ada,a.example\nAda,Lovelace,al@a.example,,a.example\n'
    const result = await importText(ctx, `${header}${rows}`)
    expect(result).toMatchObject({ contacts_created: 1, opted_out: 1 })
    expect((await contactsIn(ctx)).map(({ key }) => key)).toEqual(['e:al@a.example'])
  })

  test('is not imported by an address that the file says is wrong', async () => {
    await optOut(ctx, 'ada@a.example')
    await optOut(ctx, 'gone.example')
    const result = await importText(
      ctx,
      `first_name,last_name,email,email_status,linkedin_url,domain
Ada,Lovelace,Ada@a.example,invalid,linkedin.com/in/ada,a.example
Bob,B,bob@gone.example,invalid,linkedin.com/in/bob,
Eve,E,eve@a.example,invalid,linkedin.com/in/eve,
`,
    )
    expect(result).toMatchObject({ contacts_created: 1, opted_out: 2 })
    expect((await contactsIn(ctx)).map(({ key }) => key)).toEqual(['l:in/eve'])
  })

  test.each([
    ['jos%C3%A9', 'josé'],
    ['JOSÉ', 'jos%C3%A9'],
    ['100%', '100%'],
  ])('by a profile %s is not imported by %s', async (removed, given) => {
    const row = (email: string, name: string) => `${email},https://www.linkedin.com/in/${name}\n`
    const header = 'email,linkedin_url\n'
    await importText(ctx, `${header}${row('a@a.example', removed)}${row('b@a.example', given)}`)
    await importText(ctx, `${header}${row('c@a.example', `${given}2`)}`)
    expect(await optOut(ctx, 'a@a.example')).toMatchObject({ contacts_removed: 2 })
    const others = row('d@private.example', given) + row('', given)
    expect(await importText(ctx, `${header}${others}`)).toMatchObject({ opted_out: 2 })
    expect((await contactsIn(ctx)).map(({ key }) => key)).toEqual(['e:c@a.example'])
  })

  test('with a domain takes its company along', async () => {
    await optOut(ctx, 'gone.example')
    const result = await importText(ctx, 'company,domain\nA,a.example\nB,sub.gone.example\n')
    expect(result).toMatchObject({ kind: 'companies', companies_created: 1, opted_out: 1 })
    expect(result.rejections).toEqual(['3: asked to be removed'])
  })

  test('while they are imported does not slip in', async () => {
    const path = await fileWith('email\nada@a.example\nbob@a.example\n')
    let importing: ReturnType<typeof importPath>
    let optingOut: ReturnType<typeof optOut>
    {
      await using stop = await stopImports(ctx, 2)
      importing = importPath(ctx, path)
      await stop.reached()
      optingOut = optOut(ctx, 'ada@a.example')
      await stop.reached(2)
    }
    expect(await importing).toMatchObject({ contacts_created: 2 })
    expect(await optingOut).toMatchObject({ contacts_removed: 1 })
    expect((await contactsIn(ctx)).map(({ email }) => email)).toEqual(['bob@a.example'])
  })

  test('before their batch comes stays out', async () => {
    const path = await fileWith('email\na@a.example\nb@a.example\nc@a.example\nd@a.example\n')
    let importing: ReturnType<typeof importPath>
    let leaving: Promise<OptedOut[]>
    {
      await using stop = await stopImports(ctx, 3)
      importing = importPath(ctx, path, { batchRows: 2 })
      await stop.reached()
      leaving = Promise.all(['a', 'd'].map((who) => optOut(ctx, `${who}@a.example`)))
      await stop.reached(3)
    }
    expect(await leaving).toMatchObject([{ contacts_removed: 1 }, { contacts_removed: 0 }])
    expect(await importing).toMatchObject({ contacts_created: 3, opted_out: 1 })
    const left = (await contactsIn(ctx)).map(({ email }) => email)
    expect(left).toEqual(['b@a.example', 'c@a.example'])
  })
})

describe('an import that was interrupted', () => {
  const rows = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) =>
      (from + at) % 10 === 0 ? 'Nobody,nothing' : `Person,p${from + at}@a.example`,
    ).join('\n')
  const rejected = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => from + at)
      .filter((at) => at % 10 === 0)
      .map((at) => `${at + 2}: email is not an e-mail address`)
  const file = () => fileWith(`first_name,email\n${rows(0, 3000)}\n`)

  /** The first batch has 1,000 rows: 900 contacts, and what is rejected. */
  async function interrupt(path: string) {
    const refuse = `raise exception 'out of order'`
    await peek(
      `create function refuse() returns trigger language plpgsql as $$ begin ${refuse}; end $$`,
    )
    await peek(`create trigger refuse before update on directory_imports for each row
      when ((new.progress->>'row')::integer > 1500) execute function refuse()`)
    await expect(importPath(ctx, path, { batchRows: 1000 })).rejects.toThrow('out of order')
    await peek('drop function refuse cascade')
  }
  const peek = async (statement: string) => {
    const { CompiledQuery } = await import('kysely')
    await ctx.database.peek.executeQuery(CompiledQuery.raw(statement))
  }

  test('goes on where it was, and its report has every row once', async () => {
    const path = await file()
    await interrupt(path)
    // What the attempt that came to nothing wrote is there, too.
    expect(await rejectionsIn(`${path}.rejected.csv`)).toHaveLength(200)
    expect(await contactsIn(ctx)).toHaveLength(900)
    const result = await importPath(ctx, path)
    expect(result).toMatchObject({
      rows: 3000,
      contacts_created: 2700,
      contacts_unchanged: 0,
      rejected: 300,
    })
    expect(result.resumed_after).toBeGreaterThan(900)
    expect(result.rejections).toEqual(rejected(0, 3000))
    expect(await find({ query: 'person' })).toMatchObject({ total: 2700 })
  })

  test.each(['is gone', 'was shortened', 'is another file'])(
    'begins anew when its report %s',
    async (what) => {
      const path = await file()
      await interrupt(path)
      const report = `${path}.rejected.csv`
      if (what === 'is gone') await rm(report)
      if (what === 'was shortened') await writeFile(report, 'row,reason\n')
      const other = what === 'is another file' ? `${path}.other.csv` : report
      const result = await importPath(ctx, path, { report: other })
      expect(result).toMatchObject({
        resumed_after: 0,
        contacts_created: 1800,
        contacts_unchanged: 900,
        rejected: 300,
      })
      expect(result.rejections).toEqual(rejected(0, 3000))
    },
  )

  test('begins anew when the file was changed', async () => {
    const path = await file()
    await interrupt(path)
    await writeFile(path, (await readFile(path, 'utf8')).replace('p11@', 'q11@'))
    expect(await importPath(ctx, path)).toMatchObject({ resumed_after: 0, rejected: 300 })
    expect((await contactsIn(ctx)).map(({ email }) => email)).toContain('q11@a.example')
  })

  test('is counted for a month, unlike a reindex that is due', async () => {
    await peek(`insert into directory_imports
      (id, fingerprint, progress, timestamp_created, timestamp_updated)
      select gen_random_uuid(), 'reindex', '{}', at, at
      from (values ('${ctx.now().toISOString()}'::timestamptz)) as now (at)`)
    await interrupt(await file())
    const later = { ...ctx, now: () => new Date(ctx.now().getTime() + 31 * 86_400_000) }
    expect(await readStats(ctx)).toMatchObject({ unfinished_imports: 1 })
    expect(await readStats(later)).toMatchObject({ unfinished_imports: 0 })
  })

  test('once it has ended is another import', async () => {
    const path = await file()
    await importPath(ctx, path)
    expect(await importPath(ctx, path)).toMatchObject({
      resumed_after: 0,
      contacts_unchanged: 2700,
    })
  })
})

describe('at the same time', () => {
  test('one file is imported once', async () => {
    const path = await fileWith('email\nada@a.example\n')
    let importing: ReturnType<typeof importPath>
    {
      await using stop = await stopImports(ctx, 2)
      importing = importPath(ctx, path)
      await stop.reached()
      let waits = 0
      const impatient = { ...ctx, sleep: async () => void waits++ }
      await expect(importPath(impatient, path)).rejects.toThrow(
        'This file is being imported already: wait until that import has ended, or stop it.',
      )
      expect(waits).toBe(25)
    }
    expect(await importing).toMatchObject({ contacts_created: 1 })
  })

  test('an import waits for the end of one that was killed a moment ago', async () => {
    const path = await fileWith('email\nada@a.example\n')
    await using stop = await stopImports(ctx, 2)
    const dying = importPath(ctx, path)
    await stop.reached()
    const patient = {
      ...ctx,
      sleep: async () => {
        await stop[Symbol.asyncDispose]()
        await dying
      },
    }
    expect(await importPath(patient, path)).toMatchObject({ contacts_unchanged: 1 })
  })

  test('two files go in, also where they have the same people', async () => {
    const people = (from: number) =>
      Array.from({ length: 3000 }, (_, at) => `Person,p${from + at}@a.example,a.example`)
    const files = [0, 1000, 2000].map((from) =>
      importText(ctx, ['first_name,email,domain', ...people(from)].join('\n')),
    )
    const results = await Promise.all(files)
    const created = results.reduce((sum, result) => sum + result.contacts_created, 0)
    expect(created).toBe(5000)
    expect(await find({ query: 'person' })).toMatchObject({ total: 5000 })
  })
})

test('a file that is not there is said so', async () => {
  const importing = importPath(ctx, '/no/such/file.csv')
  await expect(importing).rejects.toThrow('ENOENT: no such file or directory')
})

test('an import ends when whoever looks on fails, and the next one takes it up', async () => {
  const path = await fileWith('email\na@a.example\n')
  const onProgress = () => {
    throw new Error('enough')
  }
  await expect(importPath(ctx, path, { onProgress })).rejects.toThrow('enough')
  expect(await importPath(ctx, path)).toMatchObject({ rows: 1 })
  expect(await contactsIn(ctx)).toHaveLength(1)
})

describe('the report', () => {
  test('of an earlier import is gone when nothing is rejected any more', async () => {
    const path = await fileWith('email,city\nnothing,x\n')
    expect((await importPath(ctx, path)).rejections).toHaveLength(1)
    await writeFile(path, 'email,city\nada@a.example,x\n')
    expect(await importPath(ctx, path)).toMatchObject({ report: null })
    await expect(readFile(`${path}.rejected.csv`)).rejects.toThrow('ENOENT')
  })

  test('never takes the place of another file', async () => {
    const path = await fileWith('email,city\nnothing,x\n')
    const importing = importPath(ctx, path, { report: path })
    await expect(importing).rejects.toThrow('is there, and is no report: name another file')
    expect(await readFile(path, 'utf8')).toContain('nothing')
  })

  test('that cannot be written says so, and the import goes on from there with another', async () => {
    const path = await fileWith('email,city\nnothing,x\n')
    const importing = importPath(ctx, path, { report: '/no/such/folder/report.csv' })
    await expect(importing).rejects.toThrow(
      'cannot be written to /no/such/folder/report.csv (ENOENT)',
    )
    expect((await importPath(ctx, path)).rejections).toEqual(['2: email is not an e-mail address'])
  })
})

test('whoever looks on is told how far it is, from the beginning to the last row', async () => {
  const steps: ImportProgress[] = []
  const rows = Array.from({ length: 40_000 }, (_, at) => `Person,p${at}@a.example`)
  const path = await fileWith(['first_name,email', ...rows].join('\n'))
  await importPath(ctx, path, { onProgress: (step) => steps.push(step) })
  const counts = steps.map((step) => step.rows)
  expect(counts.length).toBeGreaterThan(3)
  expect(counts).toEqual(counts.toSorted((a, b) => a - b))
  expect(steps.every(({ bytesRead, bytes }) => bytesRead <= bytes)).toBe(true)
  expect(steps.at(-1)).toMatchObject({ rows: 40_000 })
  expect(steps.at(-1)?.bytesRead).toBe(steps.at(-1)?.bytes)
})

test('nothing that was imported is logged', () => {
  expect(ctx.logLines.filter((line) => /example|Ada/.test(line))).toEqual([])
})
