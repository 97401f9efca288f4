import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { address, type Inbox, letter, testInbox } from '../../../../test/inbox.ts'
import { createOutbox } from '../../../../test/mail/outbox.ts'
import { type MailStore, startImapServer } from '../../../demo/mail-server/index.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { operator } from '../../audit/index.ts'
import { findMailboxes, reportInboxRead, updateMailbox } from '../../mailboxes/index.ts'

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
