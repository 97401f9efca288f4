import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Inbox, letter, report, testInbox } from '../../../test/inbox.ts'
import { imapSettings, keepInboxRead } from '../../../test/sending.ts'
import { readDatabaseTime } from '../../kernel/db/instance.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { MailFailure } from '../../kernel/mail/index.ts'
import { ensurePartitions } from '../../partitions.ts'
import { operator } from '../audit/index.ts'
import {
  pauseMailbox,
  removeMailbox,
  reportInboxRead,
  reportMailboxError,
  updateMailbox,
} from '../mailboxes/index.ts'
import { handOver } from './index.ts'

// Anna's mailbox wrote to ada first; then another one goes on.

let inbox: Inbox
beforeEach(async () => {
  inbox = await testInbox()
})
afterEach(() => inbox[Symbol.asyncDispose]())

const anna = 'anna@example.com'
const bert = 'bert@example.com'
const ada = 'ada@lead.example'

const handedOver = (from: string, to: string) =>
  handOver(inbox.ctx, inbox.workspaceId, { from, to }, operator)

const inTrouble = (id: string, side: 'smtp' | 'imap') =>
  transaction(inbox.ctx, (tx) =>
    reportMailboxError(tx, inbox.workspaceId, id, side, new MailFailure('connect', 'unreachable')),
  )

/** A first mail from anna, and bert goes on in its thread. */
async function contactedBefore(more: object = {}) {
  const contacted = await inbox.contact([ada], more)
  const other = await inbox.createMailbox(bert)
  expect(await handedOver(anna, bert)).toMatchObject({ moved: 1, is_read: true })
  return { ...contacted, other }
}

describe('what comes to the first mailbox after a hand-over', () => {
  test('and cites no mail of ours is the answer of who wrote it', async () => {
    const { leadId } = await contactedBefore()
    inbox.arrive(letter({ from: ada, headers: ['Message-ID: <yes@lead.example>'] }))
    inbox.startReader()
    await inbox.readAll()
    expect(await inbox.lead(leadId)).toMatchObject({
      ...{ sending_state: 'stopped', stop_reason: 'replied' },
    })
  })

  test.each([
    ['an automatic reply', letter({ from: ada, headers: ['Auto-Submitted: auto-replied'] })],
    ['a report without the id of its mail', report({ recipient: ada })],
  ])('as %s is of the conversation', async (_what, mail) => {
    const { leadId } = await contactedBefore()
    inbox.arrive(mail)
    inbox.startReader()
    await inbox.readAll()
    const stored = inbox.ctx.database.peek.selectFrom('messages').select('thread_id')
    expect(await stored.where('direction', '=', 'in').execute()).toEqual([{ thread_id: leadId }])
  })

  test('from a colleague stops the company, where the campaign stops for it', async () => {
    const { leadId } = await contactedBefore({ stop_for_company: true })
    inbox.arrive(letter({ from: 'boss@lead.example', subject: 'AW: Hello' }))
    inbox.startReader()
    await inbox.readAll()
    expect(await inbox.lead(leadId)).toMatchObject({ stop_reason: 'replied' })
  })

  test('as a copy of its own mail teaches the id that the provider gave that', async () => {
    const { messageId } = await contactedBefore()
    const copy = inbox.outbox[0]?.source.toString() ?? ''
    const stamped = '<stamped@provider.example>'
    inbox.arrive(Buffer.from(copy.replace(messageId, stamped)), '\\Sent')
    inbox.startReader()
    await inbox.untilRead(async () =>
      (await inbox.ctx.database.peek.selectFrom('sends').selectAll().execute()).some(
        ({ provider_message_id }) => provider_message_id === stamped,
      ),
    )
  })
})

test('a first answer that is taken in while its lead is moved begins a conversation of the other mailbox', async () => {
  const { leadId } = await inbox.contact([ada])
  const other = await inbox.createMailbox(bert)
  const { peek } = inbox.ctx.database
  const moving = await peek.startTransaction().execute()
  await moving.updateTable('leads').set({ mailbox_id: other.id }).execute()
  inbox.arrive(letter({ from: ada, headers: ['Message-ID: <yes@lead.example>'] }))
  inbox.startReader()
  await inbox.ctx.database.untilWaiting(1, 'leads')
  // Whoever moves the lead sees nothing of a conversation that is not committed.
  await moving.commit().execute()
  await inbox.readAll()
  const threads = await peek.selectFrom('threads').select(['id', 'mailbox_id']).execute()
  expect(threads).toEqual([{ id: leadId, mailbox_id: other.id }])
})

describe('a follow-up after a hand-over', () => {
  const carl = 'carl@example.com'
  const bob = 'bob@lead.example'

  test('waits until each mailbox that led the thread was read, and who answered there gets none', async () => {
    const { ctx } = inbox
    const contacted = await inbox.contact([bob, ada])
    const addMailbox = (address: string) =>
      inbox.createMailbox(address, imapSettings(inbox.imapPort, address))
    await keepInboxRead(ctx.database.peek, (await addMailbox(bert)).id)
    const last = await addMailbox(carl)
    await handedOver(anna, bert)
    await handedOver(bert, carl)
    ctx.clock.advance(60 * 3_600_000)
    await ensurePartitions(ctx)
    await keepInboxRead(ctx.database.peek, last.id)
    const headers = [`In-Reply-To: ${contacted.messageId}`, 'Message-ID: <yes@lead.example>']
    inbox.arrive(letter({ from: ada, headers }))
    await inbox.startRunner()
    await inbox.untilAsleep()
    expect(inbox.outbox).toHaveLength(2)
    inbox.startReader()
    const entries = await inbox.waitForLedger((all) =>
      all.some(({ step, state }) => step === 2 && state === 'sent'),
    )
    expect(entries.find(({ step }) => step === 2)?.mailbox_id).toBe(last.id)
    await inbox.untilAsleep()
    const toAda = (await inbox.ledger()).filter(({ lead_id }) => lead_id === contacted.leadId)
    expect(toAda.map(({ step }) => step)).toEqual([1])
  })

  test('waits for a mailbox that cannot send, and is read all the same', async () => {
    const { ctx, workspaceId } = inbox
    const { leadId, mailbox, messageId } = await inbox.contact([bob, ada])
    const other = await inbox.createMailbox(bert, imapSettings(inbox.imapPort, bert))
    await updateMailbox(ctx, workspaceId, mailbox.id, { smtp: { port: 1 } }, operator)
    await inTrouble(mailbox.id, 'smtp')
    expect(await handedOver(anna, bert)).toMatchObject({ moved: 2, is_read: true })
    ctx.clock.advance(60 * 3_600_000)
    await ensurePartitions(ctx)
    await keepInboxRead(ctx.database.peek, other.id)
    const headers = [`In-Reply-To: ${messageId}`, 'Message-ID: <yes@lead.example>']
    inbox.arrive(letter({ from: ada, headers }))
    await inbox.startRunner()
    await inbox.untilAsleep()
    expect(inbox.outbox).toHaveLength(2)
    inbox.startReader()
    await inbox.waitForMails(3)
    await inbox.untilAsleep()
    const toAda = (await inbox.ledger()).filter(({ lead_id }) => lead_id === leadId)
    expect(toAda.map(({ step }) => step)).toEqual([1])
  })

  test.each<[string, (id: string) => Promise<unknown>]>([
    ['is paused', (id) => pauseMailbox(inbox.ctx, inbox.workspaceId, id, operator)],
    ['cannot be read', (id) => inTrouble(id, 'imap')],
  ])('does not wait for a mailbox that %s', async (_how, end) => {
    const { mailbox, other } = await contactedBefore()
    const { ctx } = inbox
    await keepInboxRead(ctx.database.peek, other.id)
    await end(mailbox.id)
    ctx.clock.advance(60 * 3_600_000)
    await ensurePartitions(ctx)
    await inbox.startRunner()
    await inbox.waitForMails(2)
  })

  test.each<[string, (id: string) => Promise<unknown>]>([
    ['is paused', (id) => pauseMailbox(inbox.ctx, inbox.workspaceId, id, operator)],
    ['is removed', (id) => removeMailbox(inbox.ctx, inbox.workspaceId, id, operator)],
    ['cannot be read', (id) => inTrouble(id, 'imap')],
  ])('goes as soon as the mailbox that it waits for %s', async (_how, end) => {
    const { mailbox, other } = await contactedBefore()
    const { ctx } = inbox
    ctx.clock.advance(60 * 3_600_000)
    await ensurePartitions(ctx)
    await keepInboxRead(ctx.database.peek, other.id)
    await inbox.startRunner()
    await inbox.untilAsleep()
    expect(inbox.outbox).toHaveLength(1)
    await end(mailbox.id)
    await inbox.waitForMails(2)
  })

  test('is looked for at each reading of that mailbox: its sender may have begun after the one before', async () => {
    const { mailbox, other } = await contactedBefore()
    const { ctx, workspaceId } = inbox
    const { peek } = ctx.database
    const { imap_version } = await peek
      .selectFrom('mailboxes')
      .select('imap_version')
      .where('id', '=', mailbox.id)
      .executeTakeFirstOrThrow()
    const read = (at: Date, last: Date | null) =>
      transaction(ctx, (tx) =>
        reportInboxRead(tx, workspaceId, mailbox.id, { at, last, imap_version }),
      )
    const at = await readDatabaseTime(ctx.db)
    await read(at, null)
    await peek.updateTable('mailbox_lanes').set({ wake_at: null }).execute()
    await read(at, at)
    const woken = peek.selectFrom('mailbox_lanes').select('mailbox_id')
    expect(await woken.where('wake_at', 'is not', null).execute()).toEqual([
      { mailbox_id: other.id },
    ])
  })
})

test('a mailbox that is read again takes the lanes that it wakes in their order, so that nobody waits in a ring', async () => {
  const { ctx, workspaceId } = inbox
  const { peek } = ctx.database
  const { id: first } = await inbox.createMailbox(anna)
  const { id } = await inbox.createMailbox(bert)
  await handedOver(bert, anna)
  await inTrouble(id, 'imap')
  const { imap_version } = await peek
    .selectFrom('mailboxes')
    .select('imap_version')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  // As one that is removed or paused does, whose conversations both went on with.
  const other = await peek.startTransaction().execute()
  const take = (mailbox: string) =>
    sql`select from mailbox_lanes where mailbox_id = ${mailbox} for update nowait`.execute(other)
  await take(first)
  const at = await readDatabaseTime(ctx.db)
  const reading = transaction(ctx, (tx) =>
    reportInboxRead(tx, workspaceId, id, { at, last: null, imap_version }),
  )
  await ctx.database.untilWaiting(1, 'mailbox_lanes')
  const isTaken = await take(id).then(
    () => false,
    () => true,
  )
  await other.rollback().execute()
  await reading
  expect(isTaken).toBe(false)
})

test('a first mailbox that is read for the first time after it handed over is read since its first mail', async () => {
  const { leadId } = await contactedBefore()
  const { ctx } = inbox
  inbox.arrive(letter({ from: ada, headers: ['Message-ID: <yes@lead.example>'] }))
  ctx.clock.advance(5 * 86_400_000)
  await ensurePartitions(ctx)
  inbox.startReader()
  await inbox.readAll()
  expect(await inbox.lead(leadId)).toMatchObject({ stop_reason: 'replied' })
})
