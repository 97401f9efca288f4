import { createHash } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { address, fetched, type Inbox, letter, testInbox } from '../../../../test/inbox.ts'
import { startSmtpFaults } from '../../../../test/mail/smtp-faults.ts'
import { imapSettings } from '../../../../test/sending.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { operator } from '../../audit/index.ts'
import { updateMailbox } from '../../mailboxes/index.ts'
import { addMessageIds } from '../../messages/index.ts'
import { replyInThread } from '../index.ts'
import { readInbound } from '../ingest/inbound-message.ts'
import { matchInbound } from './match.ts'
import { claimMatched } from './matched-messages.ts'

const lead = 'ada@lead.example'
let inbox: Inbox
beforeEach(async () => {
  inbox = await testInbox()
})
afterEach(() => inbox[Symbol.asyncDispose]())

/** What came in of whom, as it is kept. */
async function keptLetters() {
  const { peek } = inbox.ctx.database
  const rows = await peek
    .selectFrom('messages')
    .select(['kind', 'text'])
    .where('direction', '=', 'in')
    .orderBy('id')
    .execute()
  return rows.map(({ kind, text }) => `${kind}: ${text.trim()}`)
}

const same = 'Message-ID: <always-the-same@lead.example>'
const dated = (day: number) => `Date: Tue, ${day} Nov 2026 09:00:00 +0000`

test('two letters under one Message-ID have their effect once each, whenever the folder is read', async () => {
  const { messageId, leadId } = await inbox.contact([lead])
  const headers = [same, `In-Reply-To: ${messageId}`]
  const away = [...headers, 'Auto-Submitted: auto-replied']
  const letters = [
    letter({ headers: away, subject: 'Automatic reply: Hello', body: 'I am away.' }),
    letter({ headers, body: 'Please stop writing to me, I said no.' }),
    letter({ headers, from: 'bob@lead.example', body: 'Please stop writing to me, I said no.' }),
  ]
  inbox.arrive(letters[0] as Buffer)
  const reader = inbox.startReader()
  await inbox.readAll()
  // In one batch, and each again in another folder.
  for (const one of [...letters.slice(1), ...letters]) inbox.arrive(one)
  for (const one of letters) inbox.arrive(one, '\\Junk')
  await inbox.readAll()
  // One that has the folder open begins anew after 5 s.
  await reader.stop()
  inbox.account(address).folders.get('INBOX')?.renumber()
  inbox.startReader()
  await inbox.readAll()
  expect(await keptLetters()).toEqual([
    'auto_reply: I am away.',
    'reply: Please stop writing to me, I said no.',
    'reply: Please stop writing to me, I said no.',
  ])
  expect(await inbox.lead(leadId)).toMatchObject({ stop_reason: 'replied', email_reply_count: 2 })
})

test('a letter is another one on another day, and the same with what a list and a gateway made of it', async () => {
  const { messageId } = await inbox.contact([lead])
  const headers = [same, `In-Reply-To: ${messageId}`]
  const first = letter({ headers: [...headers, dated(24)], body: 'No.' })
  const overList = letter({
    ...{
      headers: ['Received: from list', dated(24), ...headers],
      body: 'No.\r\n\r\n--\r\nThe list',
    },
    ...{ subject: '[sales] Re: Hello', from: 'Ada via list <list@lead.example>' },
  })
  const later = letter({ headers: [...headers, dated(17)], body: 'No.' })
  inbox.arrive(first)
  inbox.startReader()
  await inbox.readAll()
  for (const one of [overList, later, overList, later, first]) inbox.arrive(one)
  await inbox.readAll()
  expect(await keptLetters()).toEqual(['reply: No.', 'reply: No.'])
})

test.each([
  ['of one second', 24],
  ['of one second, after one of another day,', 23],
])(
  'letters of several leads under one Message-ID %s are each their own',
  async (_when, firstDay) => {
    const leads = [lead, 'bob@lead.example', 'eve@lead.example']
    const letters: Buffer[] = []
    for (const from of leads) {
      const { messageId } = await inbox.contact([from])
      const headers = [same, dated(from === lead ? firstDay : 24), `In-Reply-To: ${messageId}`]
      letters.push(letter({ from, headers, body: `No, says ${from}.` }))
    }
    inbox.arrive(letters[0] as Buffer)
    inbox.startReader()
    await inbox.readAll()
    for (const one of [...letters, ...letters]) inbox.arrive(one)
    await inbox.readAll()
    expect(await keptLetters()).toEqual(leads.map((from) => `reply: No, says ${from}.`))
  },
)

test('a letter that is known by its day alone, as before the update, is not taken in again', async () => {
  const { messageId, leadId, mailbox } = await inbox.contact([lead])
  const told = JSON.stringify(['<always-the-same@lead.example>', '2026-11-17T09:00:00.000Z'])
  const alias = `<${createHash('sha256').update(told).digest('hex')}@letter.invalid>`
  const kept = { workspace_id: inbox.workspaceId, mailbox_id: mailbox.id, alias }
  const row = { ...kept, id: inbox.ctx.newId(), lead_id: leadId, campaign_id: null }
  await addMessageIds(inbox.ctx.db, [row])
  const headers = [same, `In-Reply-To: ${messageId}`]
  inbox.arrive(letter({ headers: [...headers, dated(24)], body: 'No.' }))
  inbox.startReader()
  await inbox.readAll()
  inbox.arrive(letter({ headers: [...headers, dated(17)], body: 'Yes.' }))
  await inbox.readAll()
  expect(await keptLetters()).toEqual(['reply: No.'])
})

test('a copy without a date that took another way is the same letter', async () => {
  const { messageId } = await inbox.contact([lead])
  const headers = [same, `In-Reply-To: ${messageId}`]
  inbox.arrive(letter({ headers: [...headers, 'Received: from a'] }))
  inbox.startReader()
  await inbox.readAll()
  inbox.arrive(letter({ headers: ['Received: from b', ...headers], subject: '[sales] Re: Hello' }))
  await inbox.readAll()
  expect(await keptLetters()).toEqual(['reply: Yes.'])
})

test('an answer under the Message-ID of the mail that it answers is none of ours', async () => {
  const { messageId, leadId } = await inbox.contact([lead])
  inbox.startReader()
  const headers = [`Message-ID: ${messageId}`, `In-Reply-To: ${messageId}`]
  for (const _ of [1, 2]) inbox.arrive(letter({ headers, body: 'No thanks.' }))
  await inbox.readAll()
  expect(await inbox.lead(leadId)).toMatchObject({ stop_reason: 'replied', email_reply_count: 1 })
})

test('an answer under the Message-ID of the mail that it answers is read when retention has dropped that mail', async () => {
  const { messageId, leadId } = await inbox.contact([lead])
  await inbox.ctx.database.peek.deleteFrom('messages').execute()
  inbox.startReader()
  const headers = [`Message-ID: ${messageId}`, `In-Reply-To: ${messageId}`]
  for (const _ of [1, 2]) inbox.arrive(letter({ headers, body: 'No thanks.' }))
  await inbox.readAll()
  expect(await keptLetters()).toEqual(['reply: No thanks.'])
  expect(await inbox.lead(leadId)).toMatchObject({ stop_reason: 'replied', email_reply_count: 1 })
})

test('a reply of which nobody knows whether it arrived is no letter in the mailbox of a colleague who got it', async () => {
  const { ctx, workspaceId } = inbox
  const bert = 'bert@example.com'
  const colleague = await inbox.createMailbox(bert, imapSettings(inbox.imapPort, bert))
  const { mailbox, messageId, leadId } = await inbox.contact([bert])
  inbox.arrive(
    letter({ from: bert, headers: [`In-Reply-To: ${messageId}`], body: 'Tell me more.' }),
  )
  const reader = inbox.startReader()
  await inbox.waitForEvents('lead.replied')
  await reader.stop()
  await using proxy = await startSmtpFaults(inbox.smtpPort, (moment) =>
    moment === '.' ? 'drop-after' : undefined,
  )
  const smtp = { port: proxy.port, password: 'correct horse' }
  await updateMailbox(ctx, workspaceId, mailbox.id, { smtp }, operator)
  await inbox.startSender()
  const answer = { thread_id: leadId, idempotency_key: 'key', text: 'It is blue.' }
  expect((await replyInThread(ctx, workspaceId, answer)).state).toBe('uncertain')
  const folder = inbox.account(bert).folders.get('INBOX')
  expect(String(folder?.mails.at(-1)?.source)).toContain('It is blue.')
  inbox.startReader()
  await inbox.untilRead(async () => {
    const rows = await ctx.database.peek.selectFrom('mailbox_folders').selectAll().execute()
    return rows.some(
      (row) => row.mailbox_id === colleague.id && Number(row.next_uid) >= (folder?.uidNext ?? 0),
    )
  })
  expect(await keptLetters()).toEqual(['reply: Tell me more.'])
})

test('a letter to a lead that is deleted while it is read leaves no trace', async () => {
  const { mailbox, leadId } = await inbox.contact([lead])
  const { ctx, workspaceId } = inbox
  const { peek } = ctx.database
  const row = await peek
    .selectFrom('mailboxes')
    .select(['workspace_id', 'id', 'address', 'imap_version'])
    .where('id', '=', mailbox.id)
    .executeTakeFirstOrThrow()
  const arrived = fetched(letter({ headers: [same], body: 'No.' }), ctx.now())
  const mail = await readInbound(workspaceId, arrived, ctx.now())
  const [matches] = await matchInbound(ctx, row, [mail])
  expect(matches).toEqual([{ leadId, by: 'address', sentId: null }])
  const known = await peek.selectFrom('message_ids').select('hash').execute()
  await peek.deleteFrom('leads').where('id', '=', leadId).execute()
  const kept = await transaction(ctx, (tx) =>
    claimMatched(
      tx,
      row,
      (matches ?? []).map((match) => ({ mail, match })),
    ),
  )
  expect(kept).toEqual([])
  expect(await peek.selectFrom('message_ids').select('hash').execute()).toEqual(known)
})
