import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { address, type Inbox, letter, testInbox } from '../../../../test/inbox.ts'
import { createOutbox } from '../../../../test/mail/outbox.ts'
import { type MailStore, startImapServer } from '../../../demo/mail-server/index.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { dayMs } from '../../../kernel/durations.ts'
import { operator } from '../../audit/index.ts'
import {
  connectMailboxImap,
  findMailboxes,
  reportInboxRead,
  updateMailbox,
} from '../../mailboxes/index.ts'
import { readMailbox } from './read-mailbox.ts'

const lead = 'ada@lead.example'
const password = 'another horse'

let inbox: Inbox
/** The server that the mailbox moves to, with folders whose UIDs begin at 1 like those of the old one. */
let store: MailStore
let server: Awaited<ReturnType<typeof startImapServer>>
beforeEach(async () => {
  inbox = await testInbox()
  // The runner looks for changes at once, not every few seconds.
  inbox.ctx.sleep = (ms, signal) =>
    wait(Math.min(ms, 30), undefined, { ...(signal ? { signal } : {}) }).catch(() => undefined)
  store = createOutbox(inbox.ctx.now).store
  store.addAccount({ address, password })
  server = await startImapServer(store)
})
afterEach(async () => {
  await inbox[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

const arriveThere = (source: Buffer) => {
  const account = store.find(address)
  if (account) store.file(account, source, null)
}

const move = (mailboxId: string) =>
  updateMailbox(
    inbox.ctx,
    inbox.workspaceId,
    mailboxId,
    {
      imap: { host: '127.0.0.1', port: server.port, password },
    },
    operator,
  )

const readAtOf = async (mailboxId: string) => {
  const [mailbox] = await findMailboxes(inbox.ctx.db, inbox.workspaceId, [mailboxId])
  return mailbox?.inbox_read_at
}

test('a mailbox that moves to another server is read there at once, from the beginning', async () => {
  const { mailbox, messageId } = await inbox.contact([lead])
  const reader = inbox.startReader()
  for (const _ of [1, 2, 3]) await inbox.readAll()
  arriveThere(letter({ headers: ['Message-ID: <r1@lead.example>', `In-Reply-To: ${messageId}`] }))
  await move(mailbox.id)
  const [event] = await inbox.waitForEvents('lead.replied')
  expect(event.data.reply.message_id).toBe('<r1@lead.example>')
  await inbox.untilRead(() => readAtOf(mailbox.id))
  expect(reader.mailboxesRead()).toBe(1)
})

test('answers are read on a server whose mails were copied there in any order', async () => {
  const { ctx } = inbox
  const { mailbox, messageId } = await inbox.contact([lead])
  inbox.startReader()
  await inbox.readAll()
  const folder = store.find(address)?.folders.get('INBOX')
  const headers = ['Message-ID: <r1@lead.example>', `In-Reply-To: ${messageId}`]
  folder?.add(letter({ headers }), ctx.now())
  for (let day = 10; day < 160; day++) {
    const receivedAt = new Date(ctx.now().getTime() - day * 86_400_000)
    folder?.add(letter({ from: `old${day}@nobody.example` }), receivedAt)
  }
  await move(mailbox.id)
  const [event] = await inbox.waitForEvents('lead.replied')
  expect(event.data.reply.message_id).toBe('<r1@lead.example>')
})

test('a folder that was read in part when its server changed is read as far back as before that', async () => {
  const { ctx, workspaceId } = inbox
  const { mailbox, messageId } = await inbox.contact([lead])
  const reader = inbox.startReader()
  await inbox.readAll()
  await reader.stop()
  ctx.clock.advance(10 * dayMs)
  const receivedAt = new Date(ctx.now().getTime() - 5 * dayMs)
  const headers = ['Message-ID: <r1@lead.example>', `In-Reply-To: ${messageId}`]
  const others = Array.from({ length: 101 }, (_, n) => letter({ from: `other${n}@nobody.example` }))
  const mails = [...others, letter({ headers })]
  const here = inbox.store.find(address)?.folders.get('INBOX')
  for (const mail of mails) here?.add(mail, receivedAt)
  // One batch is taken in, and the answer lies behind it.
  let asked = 0
  const { connection, imap_version } = await connectMailboxImap(ctx, workspaceId, mailbox.id)
  {
    await using imap = connection
    const read = { workspace_id: workspaceId, id: mailbox.id, address, imap_version }
    await readMailbox(ctx, imap, read, { goesOn: () => ++asked <= 103 })
  }
  const row = await ctx.database.peek
    .selectFrom('mailbox_folders')
    .select('next_uid')
    .where('folder', '=', 'INBOX')
    .executeTakeFirstOrThrow()
  expect(Number(row.next_uid)).toBe((here?.uidNext ?? 0) - 2)
  const there = store.find(address)?.folders.get('INBOX')
  for (const mail of mails) there?.add(mail, receivedAt)
  await move(mailbox.id)
  inbox.startReader()
  const [event] = await inbox.waitForEvents('lead.replied')
  expect(event.data.reply.message_id).toBe('<r1@lead.example>')
})

test('a folder counts as read until it was looked at, not until its last mail was taken in', async () => {
  const { ctx, workspaceId } = inbox
  const { id } = await inbox.createReadMailbox()
  const here = inbox.store.find(address)?.folders.get('INBOX')
  here?.add(letter({ from: 'other@nobody.example' }), ctx.now())
  const { connection, imap_version } = await connectMailboxImap(ctx, workspaceId, id)
  await using imap = connection
  const asked: Date[] = []
  const goesOn = () => {
    asked.push(ctx.now())
    ctx.clock.advance(dayMs)
    return true
  }
  await readMailbox(ctx, imap, { workspace_id: workspaceId, id, address, imap_version }, { goesOn })
  const row = await ctx.database.peek
    .selectFrom('mailbox_folders')
    .select('timestamp_read')
    .where('folder', '=', 'INBOX')
    .executeTakeFirstOrThrow()
  // Its only mail was the third.
  expect(row.timestamp_read.getTime()).toBeLessThanOrEqual(asked[2]?.getTime() ?? 0)
})

test('what was read on the server before does not count for the one that it was given', async () => {
  const { ctx, workspaceId } = inbox
  const { id } = await inbox.createReadMailbox()
  const versionOf = () =>
    ctx.database.peek
      .selectFrom('mailboxes')
      .select('imap_version')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  const before = await versionOf()
  const read = (version: { imap_version: string }) =>
    transaction(ctx, (tx) =>
      reportInboxRead(tx, workspaceId, id, { at: ctx.now(), last: ctx.now(), ...version }),
    )
  await read(before)
  expect(await readAtOf(id)).toEqual(expect.any(Date))
  await move(id)
  // A reader whose connection was still open.
  await read(before)
  expect(await readAtOf(id)).toBeNull()
  await read(await versionOf())
  expect(await readAtOf(id)).toEqual(expect.any(Date))
})
