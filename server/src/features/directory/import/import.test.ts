import { readFile, rm, writeFile } from 'node:fs/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type TestContext, testContext } from '../../../../test/context.ts'
import {
  companiesIn,
  contactsIn,
  emptyDirectory,
  fileWith,
  importPath,
  importText,
  leaveInBlock,
  rejectionsIn,
  stopImports,
} from '../../../../test/directory-files.ts'
import { insertPeople } from '../../../../test/directory-rows.ts'
import { withSession } from '../../../kernel/db/session.ts'
import { type OptedOut, optOut } from '../optouts.ts'
import type { DirectoryFilters } from '../schema.ts'
import { searchDirectory } from '../search.ts'
import type { ImportProgress } from './import.ts'
import { doWithoutKeyIndex } from './key-index.ts'
import { hasKeyIndex } from './queries.ts'
import { FileReading } from './reading.ts'

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
    .select(['key', 'id', 'number'])
    .orderBy('key')
    .execute()
  return rows.map(({ key, id, number }) => [key, id, number])
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
    await leaveInBlock(ctx, 2)
    const result = await importText(
      ctx,
      'email,title\na@a.example,One\nb@a.example,Two\na@a.example,Three\nc@a.example,Four\n',
    )
    expect(result).toMatchObject({ contacts_created: 3, contacts_updated: 1 })
    expect(await find({ titles: ['three'] })).toMatchObject({ total: 1 })
    expect(await find({ titles: ['one'] })).toMatchObject({ total: 0 })
  })
})

describe('the index of keys', () => {
  const hasIndex = () => hasKeyIndex(ctx.database.peek)
  const file = () => fileWith('email\na@a.example\nb@b.example\nc@c.example\nd@d.example\n')

  test('is not there while the directory is filled, and is once it is', async () => {
    await leaveInBlock(ctx, 2)
    const path = await file()
    await using stop = await stopImports(ctx, 4)
    const imported = importPath(ctx, path)
    await stop.reached()
    expect(await hasIndex()).toBe(false)
    await stop[Symbol.asyncDispose]()
    expect(await imported).toMatchObject({ contacts_created: 4 })
    expect(await hasIndex()).toBe(true)
  })

  test('is left out on, when companies of one batch come in the next, whether more is said of them or not', async () => {
    await leaveInBlock(ctx, 2)
    const path = await fileWith(
      'email,domain,industry\na@x.example,a.example,\nb@x.example,b.example,\nc@x.example,a.example,\nd@x.example,b.example,Mining\n',
    )
    await using stop = await stopImports(ctx, 4)
    const imported = importPath(ctx, path)
    await stop.reached()
    // Whoever makes the index holds it.
    const { rows: locks } = await sql`
      select from pg_locks
      where relation = 'directory_contacts'::regclass and mode = 'ShareLock'`.execute(
      ctx.database.peek,
    )
    expect(locks).toEqual([])
    expect(await hasIndex()).toBe(false)
    await stop[Symbol.asyncDispose]()
    expect(await imported).toMatchObject({ companies_created: 2, companies_updated: 1 })
    const companies = await companiesIn(ctx)
    expect(companies.map(({ industry }) => industry)).toEqual([null, 'Mining'])
  })

  test('is made when more keys come than are remembered, and no key is there twice', async () => {
    await leaveInBlock(ctx, 2)
    const path = await fileWith('email\na@a.example\nb@b.example\nc@c.example\na@a.example\n')
    await using stop = await stopImports(ctx, 4)
    const imported = importPath(ctx, path, { keysMax: 2 })
    await stop.reached()
    expect(await hasIndex()).toBe(true)
    await stop[Symbol.asyncDispose]()
    expect(await imported).toMatchObject({ contacts_created: 3, contacts_unchanged: 1 })
  })

  test('stays where the directory has many contacts', async () => {
    await sql`
      insert into directory_contacts (id, number, key, has_email, timestamp_updated)
      select gen_random_uuid(), n, 'l:' || n, false, now()
      from generate_series(0, 20000) as numbers (n)`.execute(ctx.database.peek)
    await withSession(ctx.db, async ({ db }) => {
      expect(await doWithoutKeyIndex({ ...ctx, db })).toBeUndefined()
    })
    expect(await hasIndex()).toBe(true)
  })

  test('that was left out is made by whoever adds contacts meanwhile, and no key is there twice', async () => {
    await leaveInBlock(ctx, 2)
    await using stop = await stopImports(ctx, 3)
    const first = importPath(ctx, await file())
    await stop.reached()
    const other = importText(ctx, 'email,title\nd@d.example,One\na@a.example,Two\n')
    await stop.reached(2)
    await stop[Symbol.asyncDispose]()
    const created = (await first).contacts_created + (await other).contacts_created
    expect(created).toBe(4)
    expect(await contactsIn(ctx)).toHaveLength(5)
    expect(await hasIndex()).toBe(true)
  })

  test('stays where somebody reads the contacts for long', async () => {
    const reader = new pg.Client({ connectionString: ctx.database.url })
    await reader.connect()
    await reader.query('begin; select count(*) from directory_contacts')
    const text = 'email\na@a.example\nA@a.example\n'
    expect(await importText(ctx, text)).toMatchObject({ contacts_created: 1 })
    await reader.end()
    expect(await hasIndex()).toBe(true)
  })

  test('stays where we may drop it but not make it', async () => {
    const { peek } = ctx.database
    const { rows } = await sql<{ me: string }>`select current_user as me`.execute(peek)
    await sql`create role importer`.execute(peek)
    await sql`alter table directory_contacts owner to importer`.execute(peek)
    onTestFinished(async () => {
      await sql`alter table directory_contacts owner to ${sql.id(rows[0]?.me ?? '')}`.execute(peek)
      await sql`drop role importer`.execute(peek)
    })
    await withSession(ctx.db, async ({ db }) => {
      await sql`set role importer`.execute(db)
      expect(await doWithoutKeyIndex({ ...ctx, db })).toBeUndefined()
      await sql`reset role`.execute(db)
    })
    expect(await hasIndex()).toBe(true)
  })

  test('is there again when the import fails', async () => {
    const path = await fileWith('email\na@a.example\nnothing\n')
    const importing = importPath(ctx, path, { report: '/no/such/folder/report.csv' })
    await expect(importing).rejects.toThrow('cannot be written')
    expect(await hasIndex()).toBe(true)
  })

  test('that an import left behind undone is made by the next one', async () => {
    await sql`drop index directory_contacts_key`.execute(ctx.database.peek)
    await importText(ctx, 'email\na@a.example\n')
    expect(await hasIndex()).toBe(true)
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

  test('that changes is what its people are found by, in blocks that no row of the file is in', async () => {
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

describe('more than a block', () => {
  test('is found whole, whether it is indexed as it comes or later', async () => {
    const people = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, at) => `Person,p${from + at}@a.example,a.example`)
    const header = 'first_name,email,domain'
    await importText(ctx, [header, ...people(0, 70_000)].join('\n'))
    await importText(ctx, [header, ...people(60_000, 75_000)].join('\n'))
    expect(await find({ query: 'person' }, 1)).toMatchObject({
      total: 75_000,
      total_is_estimate: true,
    })
    const blocks = await ctx.database.peek
      .selectFrom('directory_blocks')
      .select(['block', 'contacts', 'stale'])
      .orderBy('block')
      .execute()
    expect(blocks).toEqual([
      { block: 0, contacts: 65_536, stale: false },
      { block: 1, contacts: 9464, stale: false },
    ])
    const numbers = (await idsByKey()).map(
      ([, id, number]) => ({ id, number }) as { id: string; number: number },
    )
    const byId = numbers.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    expect(byId).toEqual(numbers.toSorted((a, b) => a.number - b.number))
  }, 60_000)
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

  test('before their batch comes stays out, also without the index of keys', async () => {
    await leaveInBlock(ctx, 2)
    const path = await fileWith('email\na@a.example\nb@a.example\nc@a.example\nd@a.example\n')
    let importing: ReturnType<typeof importPath>
    let leaving: Promise<OptedOut[]>
    {
      await using stop = await stopImports(ctx, 3)
      importing = importPath(ctx, path)
      await stop.reached()
      expect(await hasKeyIndex(ctx.database.peek)).toBe(false)
      leaving = Promise.all(['a', 'd'].map((who) => optOut(ctx, `${who}@a.example`)))
      await stop.reached(3)
    }
    expect(await leaving).toMatchObject([{ contacts_removed: 1 }, { contacts_removed: 0 }])
    expect(await importing).toMatchObject({ contacts_created: 3, opted_out: 1 })
    const left = (await contactsIn(ctx)).map(({ email }) => email)
    expect(left).toEqual(['b@a.example', 'c@a.example', 'first@directory.example'])
    expect(await hasKeyIndex(ctx.database.peek)).toBe(true)
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

  /** The first batch has 900 contacts, and with what is rejected 1,000 rows. */
  async function interrupt(path: string) {
    await leaveInBlock(ctx, 900)
    const refuse = `raise exception 'out of order'`
    await peek(
      `create function refuse() returns trigger language plpgsql as $$ begin ${refuse}; end $$`,
    )
    await peek(`create trigger refuse before update on directory_imports for each row
      when ((new.progress->>'row')::integer > 1500) execute function refuse()`)
    await expect(importPath(ctx, path)).rejects.toThrow('out of order')
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
    expect(await rejectionsIn(`${path}.rejected.csv`)).toHaveLength(300)
    expect(await contactsIn(ctx)).toHaveLength(901)
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
        'This file is being imported already.',
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

describe('the thread that reads', () => {
  test('tells what is wrong with the file', async () => {
    const importing = importPath(ctx, '/no/such/file.csv')
    await expect(importing).rejects.toThrow('ENOENT: no such file or directory')
  })

  test('that dies ends the import, and the next one goes on', async () => {
    const path = await fileWith('email\na@a.example\n')
    const begin = vi.spyOn(FileReading.prototype, 'begin').mockImplementation(function (
      this: FileReading,
    ) {
      void this[Symbol.asyncDispose]()
    })
    onTestFinished(() => begin.mockRestore())
    await expect(importPath(ctx, path)).rejects.toThrow('has ended before the file')
    expect(await hasKeyIndex(ctx.database.peek)).toBe(true)
    begin.mockRestore()
    expect(await importPath(ctx, path)).toMatchObject({ contacts_created: 1 })
  })

  test('ends when whoever looks on fails', async () => {
    const path = await fileWith('email\na@a.example\n')
    const end = vi.spyOn(FileReading.prototype, Symbol.asyncDispose)
    onTestFinished(() => end.mockRestore())
    const onProgress = () => {
      throw new Error('enough')
    }
    await expect(importPath(ctx, path, { onProgress })).rejects.toThrow('enough')
    expect(end).toHaveBeenCalledTimes(1)
    expect(await hasKeyIndex(ctx.database.peek)).toBe(true)
  })
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

test('whoever looks on is told how far it is, from the beginning to the last block', async () => {
  await leaveInBlock(ctx, 5)
  const steps: ImportProgress[] = []
  const rows = Array.from({ length: 40_000 }, (_, at) => `Person,p${at}@a.example`)
  const path = await fileWith(['first_name,email', ...rows].join('\n'))
  await importPath(ctx, path, { onProgress: (step) => steps.push(step) })
  const counts = steps.map((step) => step.rows)
  expect(counts.length).toBeGreaterThan(3)
  expect(counts).toEqual(counts.toSorted((a, b) => a - b))
  expect(steps.every(({ bytesRead, bytes }) => bytesRead <= bytes)).toBe(true)
  expect(steps.at(-1)).toMatchObject({ rows: 40_000, blocks: { indexed: 1, all: 1 } })
})

test('nothing that was imported is logged', () => {
  expect(ctx.logLines.filter((line) => /example|Ada/.test(line))).toEqual([])
})
