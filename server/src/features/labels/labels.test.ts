import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { operator } from '../audit/index.ts'
import { archiveLabel, createLabel, findLabelById, listLabels, updateLabel } from './index.ts'

let api: TestApi
let workspaceId: string

beforeAll(async () => {
  api = await testApi()
  ;({ workspaceId } = api)
})
afterAll(() => api[Symbol.asyncDispose]())

const create = (name: string) => createLabel(api.ctx, workspaceId, { name }, operator)

test('a new label has a value made of its name, and defaults that change no sending', async () => {
  const label = await create('  Call back — later ')
  expect(label).toMatchObject({
    name: 'Call back — later',
    value: 'call_back_later',
    effect: 'none',
    sentiment: 'neutral',
    timestamp_archived: null,
  })
  expect(await findLabelById(api.ctx.db, workspaceId, label.id)).toEqual(label)
})

test('renaming changes the name and nothing else that an integration knows it by', async () => {
  const label = await create('Warm')
  api.ctx.clock.advance(1000)
  const renamed = await updateLabel(api.ctx, workspaceId, label.id, { name: 'Hot' }, operator)
  expect(renamed).toEqual({ ...label, name: 'Hot', timestamp_updated: api.ctx.now() })
})

describe('a name that could be read as something else is refused', () => {
  beforeAll(async () => {
    await create('Cold lead')
    const { id } = await create('First name')
    await updateLabel(api.ctx, workspaceId, id, { name: 'Second name' }, operator)
  })

  test.each([
    ['that of a built-in status', 'Meeting-Booked', 'built-in'],
    ['one that only a prefix tells from a built-in status', 'lead.interested', 'built-in'],
    ['that of an automatic status', 'Replied', 'built-in'],
    ['one that is a built-in status but for its punctuation', 'No show!', 'built-in'],
    ["another label's name in another spelling", 'cold_lead', 'differ'],
    ["another label's value, after that label was renamed", 'First name', 'differ'],
    ['one whose value is taken', 'Cold, lead', 'differ'],
    ['an empty one', '  ', 'empty'],
    ['one without a letter', '!!!', 'letter'],
    ['a control character', 'a\u0000b', 'control'],
    ['a long one', 'a'.repeat(256), '255'],
  ])('%s', async (_what, name, problem) => {
    const refusal = { code: 'invalid_field', message: expect.stringContaining(problem) }
    await expect(create(name)).rejects.toMatchObject(refusal)
    const { id } = await create(`own ${api.ctx.newId()}`)
    const renaming = updateLabel(api.ctx, workspaceId, id, { name }, operator)
    await expect(renaming).rejects.toMatchObject(refusal)
  })
})

test('an archived label cannot be set, is still known, and comes back under its name', async () => {
  const label = await createLabel(
    api.ctx,
    workspaceId,
    { name: 'Reseller', effect: 'stop', sentiment: 'negative' },
    operator,
  )
  await archiveLabel(api.ctx, workspaceId, label.id, operator)
  const ids = async (archived: boolean) =>
    (await listLabels(api.ctx.db, workspaceId, { archived })).map(({ id }) => id)
  expect(await ids(false)).not.toContain(label.id)
  expect(await ids(true)).toContain(label.id)
  expect(await findLabelById(api.ctx.db, workspaceId, label.id)).toMatchObject({
    timestamp_archived: api.ctx.now(),
  })
  await expect(archiveLabel(api.ctx, workspaceId, label.id, operator)).rejects.toMatchObject({
    code: 'not_found',
  })
  expect(await create('reseller')).toMatchObject({
    id: label.id,
    value: 'reseller',
    effect: 'stop',
    sentiment: 'negative',
    timestamp_archived: null,
  })
})

test('two labels made at the same time never share a name', async () => {
  const outcomes = await Promise.allSettled([
    create('Partner'),
    create('partner'),
    create('PART NER'),
  ])
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
})

test('a workspace neither sees nor changes the labels of another', async () => {
  const label = await create('Private')
  const stranger = await api.createStranger()
  expect(await listLabels(api.ctx.db, stranger.workspaceId)).toEqual([])
  expect(await findLabelById(api.ctx.db, stranger.workspaceId, label.id)).toBeUndefined()
  await expect(
    updateLabel(api.ctx, stranger.workspaceId, label.id, { name: 'Mine' }, operator),
  ).rejects.toMatchObject({ code: 'not_found' })
  await expect(
    archiveLabel(api.ctx, stranger.workspaceId, label.id, operator),
  ).rejects.toMatchObject({ code: 'not_found' })
  await createLabel(api.ctx, stranger.workspaceId, { name: 'Private' }, operator)
})

test('every change of a label is in the audit log', async () => {
  const label = await create('Audited')
  await updateLabel(api.ctx, workspaceId, label.id, { name: 'Audited twice' }, operator)
  await archiveLabel(api.ctx, workspaceId, label.id, operator)
  const entries = await api.ctx.db
    .selectFrom('audit_log')
    .select('action')
    .where('workspace_id', '=', workspaceId)
    .where('subject_id', '=', label.id)
    .orderBy('id')
    .execute()
  expect(entries.map(({ action }) => action)).toEqual([
    'label.created',
    'label.renamed',
    'label.archived',
  ])
})

test('a label that is given what it has already is not changed, and the audit log says nothing', async () => {
  const label = await createLabel(api.ctx, workspaceId, { name: 'As it is' }, operator)
  const { name, effect, sentiment } = label
  for (const change of [{}, { name }, { name: ` ${name} `, effect, sentiment }]) {
    expect(await updateLabel(api.ctx, workspaceId, label.id, change, operator)).toEqual(label)
  }
  await updateLabel(api.ctx, workspaceId, label.id, { name: 'As it was', effect }, operator)
  const entries = await api.ctx.database.peek
    .selectFrom('audit_log')
    .select('action')
    .where('subject_id', '=', label.id)
    .orderBy('id')
    .execute()
  expect(entries.map(({ action }) => action)).toEqual(['label.created', 'label.renamed'])
})

test('another effect and sentiment hold from then on, and are in the audit log', async () => {
  const label = await createLabel(api.ctx, workspaceId, { name: 'Changed later' }, operator)
  const change = { effect: 'stop', sentiment: 'negative' } as const
  const changed = await updateLabel(api.ctx, workspaceId, label.id, change, operator)
  expect(changed).toMatchObject({ name: 'Changed later', ...change, value: label.value })
  const { action } = await api.ctx.database.peek
    .selectFrom('audit_log')
    .select('action')
    .where('subject_id', '=', label.id)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  expect(action).toBe('label.updated')
})
