import { afterAll, expect, test } from 'vitest'
import { testContext } from '../../../test/context.ts'
import { operator } from '../audit/index.ts'
import { createWorkspace } from '../workspaces/index.ts'
import {
  addMailbox,
  findMailboxes,
  findSenderMailboxes,
  openMailbox,
  pauseMailbox,
  resumeMailbox,
  updateMailbox,
} from './index.ts'

const ctx = await testContext()
const { id: workspaceId } = await createWorkspace(ctx, 'acme')
afterAll(() => ctx[Symbol.asyncDispose]())

let count = 0
const add = (more: object = {}) => {
  const server = { host: 'mail.example.com', username: 'anna', password: 'correct horse' }
  const address = `anna${++count}@example.com`
  return addMailbox(ctx, workspaceId, { address, smtp: server, imap: server, ...more }, operator)
}

const oauth2 = {
  token_url: 'https://login.example.com/token',
  client_id: 'client',
  refresh_token: 'refresh',
}
const errorAt = (path: string) => ({ status: 400, details: [expect.objectContaining({ path })] })

test('a mailbox has a signature, a zone, a pace and a ramp-up that begins today', async () => {
  ctx.clock.set(new Date('2026-11-21T23:30:00Z'))
  const given = {
    signature: '<p>Anna</p>',
    timezone: 'europe/berlin',
    gap_seconds: 90,
    ramp_up: { start: 5, step: 3 },
  }
  const added = await add(given)
  expect(added).toMatchObject({
    ...given,
    timezone: 'Europe/Berlin',
    ramp_up: { start: 5, step: 3, from: '2026-11-22' },
  })
  expect(await findMailboxes(ctx.db, workspaceId, [added.id])).toEqual([added])
  expect(await findSenderMailboxes(ctx.db, workspaceId, [added.address])).toEqual([added])
  const plain = await add()
  expect(plain).toMatchObject({ signature: null, timezone: null, gap_seconds: 0, ramp_up: null })
})

test('only what is given changes, null clears, and a ramp-up goes on unless it is another', async () => {
  ctx.clock.set(new Date('2026-11-21T12:00:00Z'))
  const {
    id,
    timestamp_created: _,
    ...added
  } = await add({
    ...{ display_name: 'Anna', signature: 'A', timezone: 'UTC', ramp_up: { start: 5, step: 3 } },
  })
  ctx.clock.advance(86_400_000)
  const changed = await updateMailbox(
    ctx,
    workspaceId,
    id,
    {
      ...{ display_name: null, signature: 'B', daily_limit: 70, ramp_up: { start: 5, step: 3 } },
    },
    operator,
  )
  expect(changed).toMatchObject({
    ...added,
    ...{ display_name: null, signature: 'B', daily_limit: 70 },
    timestamp_updated: ctx.now(),
  })
  const other = await updateMailbox(
    ctx,
    workspaceId,
    id,
    { ramp_up: { start: 6, step: 3 } },
    operator,
  )
  expect(other.ramp_up).toEqual({ start: 6, step: 3, from: '2026-11-22' })
  const cleared = await updateMailbox(
    ctx,
    workspaceId,
    id,
    { ramp_up: null, timezone: null },
    operator,
  )
  expect(cleared).toMatchObject({ ramp_up: null, timezone: null })
})

test('of a server only what is given changes, and it is tried anew', async () => {
  const { id } = await add()
  await updateMailbox(ctx, workspaceId, id, { smtp: { port: 2525, password: 'battery' } }, operator)
  const { server } = await openMailbox(ctx, workspaceId, id, 'smtp')
  expect(server).toEqual({
    ...{ host: 'mail.example.com', port: 2525, security: 'starttls', username: 'anna' },
    credential: { kind: 'password', password: 'battery' },
  })
  const imap = await openMailbox(ctx, workspaceId, id, 'imap')
  expect(imap.server.credential).toEqual({ kind: 'password', password: 'correct horse' })
})

test('a stored password does not go to another host', async () => {
  const { id } = await add()
  await expect(
    updateMailbox(ctx, workspaceId, id, { imap: { host: 'evil.example.com' } }, operator),
  ).rejects.toMatchObject(errorAt('/imap/password'))
  await updateMailbox(
    ctx,
    workspaceId,
    id,
    { imap: { host: 'b.example.com', password: 'x' } },
    operator,
  )
})

test.each<[string, object, string]>([
  ['both a password and a consent', { smtp: { password: 'x', oauth2 } }, '/smtp/password'],
  ['a zone that nobody knows', { timezone: 'Mars/Olympus' }, '/timezone'],
  ['an offset as a zone', { timezone: '+02:00' }, '/timezone'],
  [
    'a consent asked for in the clear',
    { imap: { oauth2: { ...oauth2, token_url: 'http://login.example.com/' } } },
    '/imap/oauth2/token_url',
  ],
  ['a ramp-up without a step', { ramp_up: { start: 1 } }, '/ramp_up/step'],
  ['another address', { address: 'other@example.com' }, '/address'],
  ['what no server has', { smtp: { pop3: true } }, '/smtp/pop3'],
])('refuses %s', async (_what, change, path) => {
  const { id } = await add()
  await expect(updateMailbox(ctx, workspaceId, id, change, operator)).rejects.toMatchObject(
    errorAt(path),
  )
})

test('a mailbox needs a password or a consent', async () => {
  const server = { host: 'mail.example.com', username: 'anna' }
  await expect(add({ smtp: server })).rejects.toMatchObject(errorAt('/smtp/password'))
})

test('pausing and resuming are told once, and stay in the workspace', async () => {
  const { id } = await createWorkspace(ctx, 'pausing')
  const server = { host: 'mail.example.com', username: 'anna', password: 'x' }
  const mailbox = { address: 'paused@example.com', smtp: server, imap: server }
  const added = await addMailbox(ctx, id, mailbox, operator)
  await expect(pauseMailbox(ctx, workspaceId, added.id, operator)).rejects.toMatchObject({
    code: 'not_found',
  })
  for (let i = 0; i < 2; i++) {
    expect(await pauseMailbox(ctx, id, added.id, operator)).toMatchObject({ status: 'paused' })
  }
  expect(await resumeMailbox(ctx, id, added.id, operator)).toMatchObject({ status: 'connected' })
  await updateMailbox(ctx, id, added.id, { daily_limit: 5 }, operator)
  const entries = await ctx.db
    .selectFrom('audit_log')
    .select(['action', 'details'])
    .where('workspace_id', '=', id)
    .orderBy('id')
    .execute()
  expect(entries.map(({ action }) => action)).toEqual([
    ...['mailbox.added', 'mailbox.paused', 'mailbox.resumed', 'mailbox.updated'],
  ])
  expect(entries.at(-1)?.details).toMatchObject({ changed: ['daily_limit'] })
})
