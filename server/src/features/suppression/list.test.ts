import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { listAudit, operator } from '../audit/index.ts'
import { optOut } from '../directory/index.ts'
import { importSuppressions } from '../import-suppressions/index.ts'
import { createWorkspace } from '../workspaces/index.ts'
import {
  addSuppression,
  countSuppressions,
  erasedEntry,
  exportSuppressions,
  findSuppressed,
  listSuppressions,
  removeSuppression,
  showSuppression,
  suppress,
} from './index.ts'

let ctx: TestContext
let workspaceId: string

beforeAll(async () => {
  ctx = await testContext()
})
beforeEach(async () => {
  workspaceId = (await createWorkspace(ctx, `one ${ctx.newId()}`)).id
})
afterAll(() => ctx[Symbol.asyncDispose]())

async function* lines(...texts: string[]) {
  yield* texts
}

const importLines = (...texts: string[]) =>
  importSuppressions(ctx, workspaceId, lines(...texts), 'blocked', operator)

async function exported(of = workspaceId): Promise<string[]> {
  let text = ''
  for await (const piece of exportSuppressions(ctx, of)) text += piece
  return text.trimEnd().split('\n')
}

const page = { limit: 10, startingAfter: undefined }

test('an upload that breaks off leaves a trace of what it added', async () => {
  async function* broken() {
    for (let n = 0; n <= 1000; n++) yield `n${n}@example.com`
    throw new Error('gone')
  }
  const run = importSuppressions(ctx, workspaceId, broken(), 'blocked', operator)
  await expect(run).rejects.toThrow('gone')
  const page = { limit: 1, startingAfter: undefined }
  const { items } = await listAudit(ctx, workspaceId, page, {})
  expect(items).toMatchObject([{ action: 'suppression.imported', details: { added: 1000 } }])
})

test('an import takes addresses and domains as people write them, and names the lines it cannot read', async () => {
  const result = await importLines(
    'Email;Reason',
    'Ann@Example.com',
    '',
    '# a comment',
    '@Bücher.example',
    '"gone@example.com", bounced',
    'left@example.com\tunsubscribed',
    'not an address',
    'ann@example.com',
  )
  expect(result).toEqual({ added: 4, known: 0, invalid: 1, invalid_lines: [8] })
  const found = await findSuppressed(ctx.db, workspaceId, [
    'ann@example.com',
    'any@xn--bcher-kva.example',
    'gone@example.com',
    'left@example.com',
    'other@example.com',
  ])
  expect(Object.fromEntries(found)).toEqual({
    'ann@example.com': 'blocked',
    'any@xn--bcher-kva.example': 'blocked',
    'gone@example.com': 'bounced',
    'left@example.com': 'unsubscribed',
  })
})

test('a block of an address that bounced is exported beside the bounce', async () => {
  const value = `${ctx.newId()}@both.example`
  await importLines(`${value},bounced`, `${value},blocked`)
  const reasons = (await exported()).filter((line) => line.startsWith(value))
  expect(reasons.map((line) => line.split(',')[2])).toEqual(['blocked', 'bounced'])
})

test('an entry with several reasons counts once, also where a batch of lines ends within it', async () => {
  const id = ctx.newId()
  const list = Array.from({ length: 999 }, (_, n) => `${n}@${id}.example`)
  const both = ['blocked', 'unsubscribed'].map((reason) => `x@${id}.example,${reason}`)
  expect(await importLines(...list, ...both)).toMatchObject({ added: 1000, known: 0 })
  expect(await importLines(...list, ...both)).toMatchObject({ added: 0, known: 1000 })
})

test('an entry counts once, however far apart its lines are', async () => {
  const id = ctx.newId()
  const list = Array.from({ length: 1001 }, (_, n) => `${n}@${id}.example`)
  const twice = [...list, ...list, `7@${id}.example,unsubscribed`]
  expect(await importLines(...twice)).toMatchObject({ added: 1001, known: 0 })
  expect(await importLines(...twice)).toMatchObject({ added: 0, known: 1001 })
  expect(await exported()).toContainEqual(
    expect.stringMatching(`^7@${id}\\.example,address,unsubscribed,`),
  )
})

test('what is exported is read back as it was, in any number', async () => {
  const addresses = Array.from({ length: 2500 }, (_, n) => `person${n}@example.com,unsubscribed`)
  expect(await importLines(...addresses, 'example.org')).toMatchObject({ added: 2501 })
  const list = await exported()
  // Much later, so that a date of the second import would be another.
  ctx.clock.advance(86_400_000)
  expect(list).toHaveLength(2502)
  expect(list.at(-1)).toMatch(/^example\.org,domain,blocked,\d{4}-/)
  const other = await createWorkspace(ctx, `other ${ctx.newId()}`)
  const again = await importSuppressions(ctx, other.id, lines(...list), 'blocked', operator)
  expect(again).toMatchObject({ added: 2501, known: 0, invalid: 0 })
  expect(await exported(other.id)).toEqual(list)
  expect(await countSuppressions(ctx, other.id)).toEqual([
    { kind: 'address', reason: 'unsubscribed', count: 2500 },
    { kind: 'domain', reason: 'blocked', count: 1 },
  ])
})

test('importing twice adds nothing, and a stronger reason counts as added', async () => {
  await importLines('ann@example.com')
  expect(await importLines('ann@example.com')).toMatchObject({ added: 0, known: 1 })
  const stronger = await importLines('ann@example.com,unsubscribed')
  expect(stronger).toMatchObject({ added: 1, known: 0 })
  expect(await importLines('ann@example.com,blocked')).toMatchObject({ added: 0, known: 1 })
})

test('a block is lifted; an unsubscribe and a hard bounce only by force', async () => {
  await addSuppression(ctx, workspaceId, 'example.org', operator)
  await removeSuppression(ctx, workspaceId, '@Example.org', { force: false }, operator)
  expect(await exported()).toHaveLength(1)
  for (const reason of ['unsubscribed', 'bounced']) {
    await importLines(`ann@example.com,${reason}`)
    const remove = (force: boolean) =>
      removeSuppression(ctx, workspaceId, 'Ann@example.com', { force }, operator)
    await expect(remove(false)).rejects.toMatchObject({ code: 'invalid_transition' })
    expect(await exported()).toHaveLength(2)
    expect(await remove(true)).toMatchObject({ value: 'ann@example.com', reason })
    expect(await exported()).toHaveLength(1)
  }
  await expect(
    removeSuppression(ctx, workspaceId, 'ann@example.com', { force: true }, operator),
  ).rejects.toMatchObject({ code: 'not_found' })
})

test('a block stands when the bounce of the address is lifted by force', async () => {
  const value = `${ctx.newId()}@both.example`
  await importLines(`${value},blocked`, `${value},bounced`)
  const lifted = await removeSuppression(ctx, workspaceId, value, { force: true }, operator)
  expect(lifted).toMatchObject({ still_suppressed: 'blocked', still_suppressed_by: 'address' })
  expect((await exported()).filter((line) => line.startsWith(value))).toHaveLength(1)
  await removeSuppression(ctx, workspaceId, value, { force: false }, operator)
})

test('each reason of an address stands until it is lifted itself, whichever came first', async () => {
  for (const reasons of [
    ['blocked', 'bounced', 'unsubscribed'],
    ['unsubscribed', 'bounced', 'blocked'],
  ]) {
    const value = `${ctx.newId()}@each.example`
    for (const reason of reasons) await importLines(`${value},${reason}`)
    const lift = () => removeSuppression(ctx, workspaceId, value, { force: true }, operator)
    for (const [reason, still] of [
      ['unsubscribed', 'bounced'],
      ['bounced', 'blocked'],
      ['blocked', null],
    ]) {
      const { items } = await listSuppressions(ctx, workspaceId, page)
      expect(items).toMatchObject([{ value, reason }])
      expect(await listSuppressions(ctx, workspaceId, page, { reason: 'blocked' })).toMatchObject({
        items: reason === 'blocked' ? [{ value }] : [],
      })
      expect(await countSuppressions(ctx, workspaceId)).toMatchObject([{ reason, count: 1 }])
      expect(await showSuppression(ctx, workspaceId, value)).toMatchObject({ reason })
      expect(await lift()).toMatchObject({ reason, still_suppressed: still })
    }
  }
})

test('adding a block does not weaken an unsubscribe, and says which reason stands', async () => {
  await importLines('ann@example.com,unsubscribed')
  expect(await addSuppression(ctx, workspaceId, 'ann@example.com', operator)).toMatchObject({
    reason: 'unsubscribed',
  })
  await expect(addSuppression(ctx, workspaceId, 'not one', operator)).rejects.toMatchObject({
    code: 'invalid_field',
  })
})

test('whether somebody may be written to is told, with the entry that says no', async () => {
  await importLines('@Bücher.example', 'ann@example.com,unsubscribed')
  const show = (text: string) => showSuppression(ctx, workspaceId, text)
  expect(await show('Ann@Example.com')).toMatchObject({
    ...{ value: 'ann@example.com', suppressed: true, reason: 'unsubscribed', by: 'address' },
    since: ctx.now(),
  })
  expect(await show('eva@bücher.example')).toMatchObject({ reason: 'blocked', by: 'domain' })
  expect(await show('bücher.example')).toMatchObject({ suppressed: true, by: 'domain' })
  expect(await show('bob@example.com')).toMatchObject({ suppressed: false, reason: null, by: null })
  await optOut(ctx, 'eve@example.net')
  expect(await show('eve@example.net')).toMatchObject({ reason: 'unsubscribed', by: 'opt-out' })
  await importLines(`${erasedEntry('joe@example.net')},unsubscribed,2020-02-02T00:00:00Z`)
  expect(await show('joe@example.net')).toMatchObject({
    ...{ reason: 'unsubscribed', by: 'erased', since: new Date('2020-02-02') },
  })
  expect(await exported()).toContainEqual(expect.stringMatching(/^bücher\.example,domain,/))
})

test('*@ before a domain means everybody there, as in other programs, wherever it is written', async () => {
  expect(await importLines('*@competitor.example')).toMatchObject({ added: 1 })
  const there = ['ann@competitor.example']
  expect(await findSuppressed(ctx.db, workspaceId, there)).toEqual(new Map([[there[0], 'blocked']]))
  const wildcard = ' *@Competitor.example '
  expect(await showSuppression(ctx, workspaceId, wildcard)).toMatchObject({
    ...{ value: 'competitor.example', suppressed: true, by: 'domain' },
  })
  await removeSuppression(ctx, workspaceId, wildcard, { force: false }, operator)
  expect(await findSuppressed(ctx.db, workspaceId, there)).toEqual(new Map())
  expect(await addSuppression(ctx, workspaceId, wildcard, operator)).toMatchObject({
    ...{ kind: 'domain', value: 'competitor.example' },
  })
})

test('subdomains cannot be meant by a wildcard', async () => {
  expect(await importLines('*.competitor.example')).toMatchObject({ added: 0, invalid: 1 })
  const add = addSuppression(ctx, workspaceId, '*.competitor.example', operator)
  await expect(add).rejects.toThrow('give an e-mail address or a domain')
})

test('who was erased is in the copy of a list, too', async () => {
  const value = erasedEntry('gone@example.com')
  const entry = { kind: 'address', value, reason: 'unsubscribed', campaignId: null } as const
  await transaction(ctx, (tx) => suppress(tx, workspaceId, [entry]))
  const list = await exported()
  const other = await createWorkspace(ctx, `other ${ctx.newId()}`)
  const again = await importSuppressions(ctx, other.id, lines(...list), 'blocked', operator)
  expect(again).toMatchObject({ added: 1, invalid: 0 })
  const found = await findSuppressed(ctx.db, other.id, ['gone@example.com'])
  expect(found.get('gone@example.com')).toBe('unsubscribed')
})

test('an entry is found by its domain as it is shown', async () => {
  await importLines('Ann@Bücher.example', '@bücher.example', 'bob@lead.example')
  const find = async (search: string) => {
    const { items } = await listSuppressions(ctx, workspaceId, page, { search })
    return items.map(({ value }) => value)
  }
  const both = ['ann@bücher.example', 'bücher.example']
  for (const search of ['bücher.example', 'BÜCHER.example', 'xn--bcher']) {
    expect(await find(search)).toEqual(both)
  }
  expect(await find('nn@bücher.example')).toEqual(both.slice(0, 1))
  expect(await find('ob@')).toEqual(['bob@lead.example'])
})
