import { afterAll, expect, test } from 'vitest'
import { createMailbox } from '../../../test/campaigns.ts'
import { testContext } from '../../../test/context.ts'
import { startMailServers } from '../../../test/mail/mail-servers.ts'
import { createRealMailbox } from '../../../test/mail/mailboxes.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { MailFailure } from '../../kernel/mail/index.ts'
import { operator } from '../audit/index.ts'
import { createWorkspace } from '../workspaces/index.ts'
import {
  connectMailboxSmtp,
  findMailboxes,
  type MailboxSide,
  pauseMailbox,
  reportMailboxError,
  reportMailboxRecovered,
  resumeMailbox,
  updateMailbox,
} from './index.ts'

const ctx = await testContext()
const { id: workspaceId } = await createWorkspace(ctx, 'acme')
afterAll(() => ctx[Symbol.asyncDispose]())

const wrongPassword = new MailFailure('login', 'refused', { code: 535, response: '535 no' })
const unknownHost = new MailFailure('connect', 'dns')

const fail = (id: string, side: MailboxSide, failure = wrongPassword) =>
  transaction(ctx, (tx) => reportMailboxError(tx, workspaceId, id, side, failure))
const recover = (id: string, side: MailboxSide) =>
  transaction(ctx, (tx) => reportMailboxRecovered(tx, workspaceId, id, side))
const read = async (id: string) => (await findMailboxes(ctx.db, workspaceId, [id]))[0]

async function eventsOf(address: string) {
  const rows = await ctx.db
    .selectFrom('events')
    .select(['type', 'body'])
    .where('workspace_id', '=', workspaceId)
    .execute()
  return rows
    .map(({ type, body }) => ({ type, data: JSON.parse(body).data }))
    .filter(({ data }) => data.mailbox === address)
}

test('a mailbox that stops working says so once, until it has worked again', async () => {
  const { id, address } = await createMailbox(ctx, workspaceId)
  await fail(id, 'smtp')
  const reason =
    'The sending server (SMTP) refused the user name or the password. ' +
    'Give the password anew; with two-factor login it has to be an app password.'
  expect(await read(id)).toMatchObject({ status: 'error', status_reason: reason })
  await fail(id, 'smtp')
  await fail(id, 'smtp', unknownHost)
  expect((await read(id))?.status_reason).toContain('host name')
  expect(await eventsOf(address)).toEqual([
    { type: 'mailbox.error', data: { mailbox: address, reason } },
  ])
  await recover(id, 'smtp')
  expect(await read(id)).toMatchObject({ status: 'connected', status_reason: null })
  await fail(id, 'smtp')
  expect(await eventsOf(address)).toHaveLength(2)
})

test('the log tells once that a mailbox does not work, and once that it does again', async () => {
  const { id } = await createMailbox(ctx, workspaceId)
  const lines = () =>
    ctx.logLines.map((line) => JSON.parse(line)).filter(({ mailbox_id }) => mailbox_id === id)
  await fail(id, 'smtp')
  await fail(id, 'smtp', unknownHost)
  const ids = { workspace_id: workspaceId, mailbox_id: id }
  const broken = { ...ids, level: 40, side: 'smtp', reason: 'login: refused 535' }
  expect(lines()).toEqual([expect.objectContaining(broken)])
  await recover(id, 'smtp')
  await recover(id, 'smtp')
  expect(lines().slice(1)).toEqual([expect.objectContaining({ ...ids, level: 30 })])
})

test('a mailbox works again when both of its servers do', async () => {
  const { id, address } = await createMailbox(ctx, workspaceId)
  await fail(id, 'smtp')
  await fail(id, 'imap')
  expect((await read(id))?.status_reason).toMatch(/\(SMTP\).*\(IMAP\)/)
  await recover(id, 'smtp')
  expect(await read(id)).toMatchObject({ status: 'error' })
  expect((await read(id))?.status_reason).not.toContain('SMTP')
  await recover(id, 'smtp')
  await recover(id, 'imap')
  expect(await read(id)).toMatchObject({ status: 'connected', status_reason: null })
  expect(await eventsOf(address)).toHaveLength(1)
})

test('what is paused stays paused, and says nothing', async () => {
  const { id, address } = await createMailbox(ctx, workspaceId)
  await pauseMailbox(ctx, workspaceId, id, operator)
  await fail(id, 'imap')
  expect(await read(id)).toMatchObject({ status: 'paused', status_reason: null })
  await recover(id, 'imap')
  expect(await read(id)).toMatchObject({ status: 'paused' })
  await fail(id, 'imap')
  expect(await resumeMailbox(ctx, workspaceId, id, operator)).toMatchObject({ status: 'connected' })
  expect(await eventsOf(address)).toEqual([])
})

test('other servers are tried anew', async () => {
  const { id } = await createMailbox(ctx, workspaceId)
  await fail(id, 'smtp')
  await updateMailbox(ctx, workspaceId, id, { daily_limit: 7 }, operator)
  expect(await read(id)).toMatchObject({ status: 'error' })
  await updateMailbox(ctx, workspaceId, id, { smtp: { password: 'right' } }, operator)
  expect(await read(id)).toMatchObject({ status: 'connected', status_reason: null })
})

test('a mailbox that is gone has no state', async () => {
  const id = ctx.newId()
  await fail(id, 'smtp')
  await recover(id, 'smtp')
})

test('of what servers say nothing is logged', async () => {
  const { id } = await createMailbox(ctx, workspaceId)
  await fail(id, 'smtp', new MailFailure('login', 'refused', { response: 'anna is locked out' }))
  expect(ctx.logLines.join('')).not.toContain('locked out')
})

test('a login that failed while the mailbox got another one says nothing of that one', async () => {
  await using servers = await startMailServers()
  const { address } = servers.anna
  const mailbox = await createRealMailbox(ctx, workspaceId, servers, { address, password: 'old' })
  const { id } = mailbox
  const failed = async () => {
    const failure = await connectMailboxSmtp(ctx, workspaceId, id).catch((error) => error)
    expect(failure).toBeInstanceOf(MailFailure)
    return failure as MailFailure
  }
  const late = await failed()
  await updateMailbox(ctx, workspaceId, id, { smtp: { password: 'new' } }, operator)
  await fail(id, 'smtp', late)
  expect(await read(id)).toMatchObject({ status: 'connected', status_reason: null })
  await fail(id, 'smtp', await failed())
  expect(await read(id)).toMatchObject({ status: 'error' })
  expect(await eventsOf(address)).toHaveLength(1)
})
