import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import { operator } from '../audit/index.ts'
import { createWorkspace } from '../workspaces/index.ts'
import { addMailbox, findMailboxesByAddress, listMailboxes, removeMailbox } from './index.ts'
import { settingsPurpose } from './settings.ts'

let ctx: TestContext
let workspaceId: string

beforeAll(async () => {
  ctx = await testContext()
  workspaceId = (await createWorkspace(ctx, 'acme')).id
})

afterAll(() => ctx[Symbol.asyncDispose]())

const server = (more: object = {}) => ({
  host: 'mail.example.com',
  username: 'anna',
  password: 'correct horse',
  ...more,
})

const mailbox = (address: string, more: object = {}) => ({
  address,
  smtp: server(),
  imap: server(),
  ...more,
})

const firstPage = { limit: 25, startingAfter: undefined }

const settingsOf = (id: string) =>
  ctx.db
    .selectFrom('mailboxes')
    .select('settings')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

test('a new mailbox is connected, shows no secret, and gets the usual ports', async () => {
  const added = await addMailbox(ctx, workspaceId, mailbox(' Anna@Example.com '), operator)
  expect(added).toMatchObject({
    address: 'Anna@Example.com',
    display_name: null,
    status: 'connected',
    status_reason: null,
    daily_limit: 50,
    workspace_id: workspaceId,
  })
  expect(JSON.stringify(added)).not.toContain('horse')
  const { settings } = await settingsOf(added.id)
  expect(settings.toString('latin1')).not.toContain('horse')
  expect(JSON.parse(ctx.secrets.open(settings, settingsPurpose(workspaceId, added.id)))).toEqual({
    smtp: server({ port: 587, security: 'starttls' }),
    imap: server({ port: 993, security: 'tls' }),
  })
})

test('settings copied to another mailbox do not open', async () => {
  const one = await addMailbox(ctx, workspaceId, mailbox('one@example.com'), operator)
  const two = await addMailbox(ctx, workspaceId, mailbox('two@example.com'), operator)
  const { settings } = await settingsOf(one.id)
  expect(() => ctx.secrets.open(settings, settingsPurpose(workspaceId, two.id))).toThrow()
})

test('an address belongs to one mailbox of a workspace, however it is written', async () => {
  await addMailbox(ctx, workspaceId, mailbox('sales@bücher.example'), operator)
  await expect(
    addMailbox(ctx, workspaceId, mailbox('SALES@xn--bcher-kva.example'), operator),
  ).rejects.toMatchObject({ code: 'invalid_field', details: [{ path: '/address' }] })
  const other = await createWorkspace(ctx, 'other')
  await addMailbox(ctx, other.id, mailbox('sales@bücher.example'), operator)
})

test.each<[string, unknown, string]>([
  ['no address', { smtp: server(), imap: server() }, '/address'],
  ['no address syntax', mailbox('anna at example.com'), '/address'],
  ['no IMAP server', { address: 'a@example.com', smtp: server() }, '/imap'],
  [
    'a port out of range',
    mailbox('a@example.com', { smtp: server({ port: 65_536 }) }),
    '/smtp/port',
  ],
  ['a port as text', mailbox('a@example.com', { imap: server({ port: '993' }) }), '/imap/port'],
  ['a host with a path', mailbox('a@example.com', { smtp: server({ host: 'a/b' }) }), '/smtp/host'],
  [
    'an unknown kind of security',
    mailbox('a@example.com', { smtp: server({ security: 'ssl' }) }),
    '/smtp/security',
  ],
  [
    'an empty password',
    mailbox('a@example.com', { smtp: server({ password: '' }) }),
    '/smtp/password',
  ],
  ['a limit of nothing', mailbox('a@example.com', { daily_limit: 0 }), '/daily_limit'],
  ['an unknown setting', mailbox('a@example.com', { pop3: server() }), '/pop3'],
])('refuses a mailbox with %s', async (_case, input, path) => {
  await expect(addMailbox(ctx, workspaceId, input, operator)).rejects.toMatchObject({
    status: 400,
    details: expect.arrayContaining([expect.objectContaining({ path })]),
  })
})

test.each([undefined, null, 'text', 7])('refuses %j as a mailbox', async (input) => {
  await expect(addMailbox(ctx, workspaceId, input, operator)).rejects.toMatchObject({ status: 400 })
})

test('pages are newest first and stay in the workspace', async () => {
  const { id } = await createWorkspace(ctx, 'pages')
  const added = []
  for (const name of ['a', 'b', 'c']) {
    added.push(await addMailbox(ctx, id, mailbox(`${name}@example.com`), operator))
  }
  const first = await listMailboxes(ctx, id, { limit: 2, startingAfter: undefined })
  expect(first.items.map((item) => item.address)).toEqual(['c@example.com', 'b@example.com'])
  expect(first.next_starting_after).toBe(added[1]?.id)
  const second = await listMailboxes(ctx, id, { limit: 2, startingAfter: added[1]?.id })
  expect(second).toEqual({ items: [added[0]] })
})

test('a removed mailbox is gone, and only from its own workspace', async () => {
  const { id } = await createWorkspace(ctx, 'removal')
  const added = await addMailbox(ctx, id, mailbox('gone@example.com'), operator)
  await expect(removeMailbox(ctx, workspaceId, added.id, operator)).rejects.toMatchObject({
    code: 'not_found',
  })
  expect(await removeMailbox(ctx, id, added.id, operator)).toEqual(added)
  expect(await listMailboxes(ctx, id, firstPage)).toEqual({ items: [] })
  await expect(removeMailbox(ctx, id, added.id, operator)).rejects.toMatchObject({
    code: 'not_found',
  })
})

test('adding and removing are in the audit log, with the address', async () => {
  const { id } = await createWorkspace(ctx, 'audited')
  const added = await addMailbox(ctx, id, mailbox('audited@example.com'), operator)
  await removeMailbox(ctx, id, added.id, operator)
  const details = { address: 'audited@example.com' }
  const entries = await ctx.db
    .selectFrom('audit_log')
    .select(['action', 'subject_id', 'actor_type', 'details'])
    .where('workspace_id', '=', id)
    .orderBy('id')
    .execute()
  expect(entries).toEqual([
    { action: 'mailbox.added', subject_id: added.id, actor_type: 'operator', details },
    { action: 'mailbox.removed', subject_id: added.id, actor_type: 'operator', details },
  ])
})

test('mailboxes are found by folded address, in their own workspace only', async () => {
  const { id } = await createWorkspace(ctx, 'look-up')
  await addMailbox(ctx, id, mailbox('Found@Example.com'), operator)
  const find = (workspace: string, addresses: string[]) =>
    findMailboxesByAddress(ctx.db, workspace, addresses)
  expect(await find(id, ['found@example.com', 'unknown@example.com'])).toMatchObject([
    { address: 'Found@Example.com', address_folded: 'found@example.com', status: 'connected' },
  ])
  expect(await find(workspaceId, ['found@example.com'])).toEqual([])
  expect(await find(id, [])).toEqual([])
})
