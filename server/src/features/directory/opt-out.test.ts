import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import {
  companiesIn,
  contactsIn,
  emptyDirectory,
  importText,
} from '../../../test/directory-files.ts'
import { optOut } from './opt-out.ts'
import { findOptedOut, readOptOuts } from './opted-out.ts'
import { searchDirectory } from './search.ts'

let ctx: TestContext
beforeAll(async () => {
  ctx = await testContext()
})
afterAll(() => ctx[Symbol.asyncDispose]())
beforeEach(() => emptyDirectory(ctx))

const keys = async () => (await contactsIn(ctx)).map(({ key }) => key)
const isRemovedContact = async (id: string) =>
  (await readOptOuts(ctx.db, { keys: [id] })).hasKey(id)
const idOf = async (key: string) => {
  const row = ctx.database.peek.selectFrom('directory_contacts').select('id').where('key', '=', key)
  return (await row.executeTakeFirstOrThrow()).id
}

describe('an address that is opted out', () => {
  test('takes along whatever the directory has of the same person, and nobody else', async () => {
    await importText(
      ctx,
      `first_name,last_name,email,linkedin_url,domain
Ada,Lovelace,ada@a.example,https://www.linkedin.com/in/ada?trk=1,a.example
Ada,Lovelace,ada@private.example,LinkedIn.com/in/ADA/,
Ada,Lovelace,,,a.example
Ada,Lovelace,,,b.example
Adam,Other,adam@a.example,https://www.linkedin.com/in/adam,a.example
Ada,Lovelace,ada2@a.example,,a.example
`,
    )
    const removed = await Promise.all(
      ['e:ada@a.example', 'e:ada@private.example', 'n:ada lovelace@d:a.example'].map(idOf),
    )
    expect(await optOut(ctx, ' ADA@a.example ')).toMatchObject({
      ...{ kind: 'address', contacts_removed: 3 },
    })
    expect(await keys()).toEqual([
      'e:ada2@a.example',
      'e:adam@a.example',
      'n:ada lovelace@d:b.example',
    ])
    for (const id of removed) expect(await isRemovedContact(id)).toBe(true)
    expect(await isRemovedContact(await idOf('e:adam@a.example'))).toBe(false)
    const asked = ['ada@a.example', 'ada@private.example', 'adam@a.example']
    expect(await findOptedOut(ctx.db, asked)).toEqual(new Set(asked.slice(0, 2)))
    expect((await companiesIn(ctx)).map(({ domain }) => domain)).toEqual(['a.example', 'b.example'])
  })

  test('is found by its profile of the Sales Navigator', async () => {
    await importText(
      ctx,
      'email,linkedin_url\na@a.example,"https://www.linkedin.com/sales/lead/ACwAAB,NAME"\nb@b.example,https://linkedin.com/sales/people/ACwAAB\nc@c.example,https://linkedin.com/sales/people/ACwaab\n',
    )
    expect(await optOut(ctx, 'a@a.example')).toMatchObject({ contacts_removed: 2 })
    expect(await keys()).toEqual(['e:c@c.example'])
  })

  test('takes along who has a profile and the same name at the same company, without an address', async () => {
    await importText(
      ctx,
      `first_name,last_name,email,linkedin_url,domain
Ada,Lovelace,ada@a.example,,a.example
Ada,Lovelace,,linkedin.com/in/ada,a.example
Ada,Lovelace,,linkedin.com/in/ada-b,b.example
Eve,Lovelace,,linkedin.com/in/eve,a.example
`,
    )
    expect(await optOut(ctx, 'ada@a.example')).toMatchObject({ contacts_removed: 2 })
    expect(await keys()).toEqual(['l:in/ada-b', 'l:in/eve'])
  })

  test('may belong to nobody yet', async () => {
    expect(await optOut(ctx, 'nobody@a.example')).toMatchObject({
      ...{ kind: 'address', contacts_removed: 0 },
    })
    expect(await importText(ctx, 'email\nnobody@a.example\n')).toMatchObject({ opted_out: 1 })
  })

  test('may be opted out again', async () => {
    await optOut(ctx, 'a@a.example')
    expect(await optOut(ctx, 'a@a.example')).toMatchObject({ contacts_removed: 0 })
  })
})

describe('a domain that is opted out', () => {
  test('takes along its people, its companies and those of the domains below it', async () => {
    await importText(
      ctx,
      `email,first_name,last_name,company,domain
a@gone.example,,,,
b@sub.gone.example,,,,
c@private.example,C,C,Gone,gone.example
,D,D,Sub,sub.gone.example
r&d/emea@gone.example,,,,
a#b?@sub.gone.example,,,,
e@begone.example,,,Begone,begone.example
gone.example/f@begone.example,,,Begone,begone.example
`,
    )
    expect(await optOut(ctx, 'https://www.GONE.example/')).toMatchObject({
      kind: 'domain',
      contacts_removed: 6,
    })
    expect(await keys()).toEqual(['e:e@begone.example', 'e:gone.example/f@begone.example'])
    expect((await companiesIn(ctx)).map(({ domain }) => domain)).toEqual(['begone.example'])
    const asked = [
      'x@gone.example',
      'y@deep.sub.gone.example',
      'c@private.example',
      'e@begone.example',
    ]
    expect(await findOptedOut(ctx.db, asked)).toEqual(new Set(asked.slice(0, 3)))
  })
})

test('every row of somebody who was removed is reported by an import', async () => {
  await optOut(ctx, 'ada@a.example')
  const rows = ['ada@a.example,CTO', 'bob@a.example,CFO', 'ADA@a.example,CEO', 'eve@a.example,']
  const result = await importText(ctx, `email,title\n${rows.join('\n')}\n`)
  expect(result).toMatchObject({ contacts_created: 2, opted_out: 2 })
  expect(result.rejections).toEqual(['2: asked to be removed', '4: asked to be removed'])
})

test('contacts that are known to be meant are removed as well', async () => {
  await importText(ctx, 'first_name,last_name,domain\nAda,L,a.example\nBob,B,a.example\n')
  const id = await idOf('n:ada l@d:a.example')
  expect(await optOut(ctx, 'ada@a.example', [id])).toMatchObject({ contacts_removed: 1 })
  expect(await isRemovedContact(id)).toBe(true)
  expect(await keys()).toEqual(['n:bob b@d:a.example'])
})

test('whoever is removed is not found and not counted', async () => {
  await importText(ctx, 'email,first_name\na@a.example,Ada\nb@b.example,Ada\n')
  const find = async (query: string) =>
    (await searchDirectory(ctx.db, { query }, { limit: 10, startingAfter: undefined })).total
  expect(await find('ada')).toBe(2)
  await optOut(ctx, 'a@a.example')
  expect(await find('ada')).toBe(1)
  expect(await find('')).toBe(1)
})

test('what is kept of the removed tells nothing but that', async () => {
  await importText(
    ctx,
    'email,first_name,last_name,linkedin_url,domain\nada@gone.example,Ada,Lovelace,linkedin.com/in/ada,a.example\n',
  )
  await optOut(ctx, 'ada@gone.example')
  const kept = await ctx.database.peek.selectFrom('directory_optouts').selectAll().execute()
  expect(kept.map(({ kind }) => kind).sort()).toEqual(['address', 'contact', 'contact', 'contact'])
  expect(kept.every(({ hash }) => hash.length === 32)).toBe(true)
  expect(await contactsIn(ctx)).toEqual([])
})

test.each([
  '',
  'x',
  'a@',
  '@a.example',
  'two words',
  'localhost',
  "'; drop table x --",
  '%',
  'a@b@c',
])('%j is neither an address nor a domain', async (text) => {
  await expect(optOut(ctx, text)).rejects.toThrow('It must be an e-mail address, or a domain')
})
