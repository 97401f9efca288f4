import { afterEach, beforeEach, expect, test } from 'vitest'
import { address, type Inbox, letter, report, testInbox } from '../../../test/inbox.ts'
import { operator } from '../audit/index.ts'
import { updateMailbox } from '../mailboxes/index.ts'
import { addMessageIds } from '../messages/index.ts'
import { sendAgain } from '../sending/index.ts'
import { setWorkspace } from '../workspaces/index.ts'
import { getThread, listThreads, markRead } from './index.ts'

let inbox: Inbox
beforeEach(async () => {
  inbox = await testInbox()
})
afterEach(() => inbox[Symbol.asyncDispose]())

const lead = 'ada@lead.example'
const bert = 'bert@example.com'
const page = { limit: 10, startingAfter: undefined }

/** A lead that was written to, and a reader that waits for its answer. */
async function contacted(more: object = {}) {
  const contact = await inbox.contact([lead], more)
  inbox.startReader()
  return contact
}

test('a reply stops the lead, tells so once, and is in the unified inbox', async () => {
  const { leadId, mailbox, campaign, messageId } = await contacted()
  const headers = ['Message-ID: <r1@lead.example>', `In-Reply-To: ${messageId}`]
  const body = 'Sounds good.\r\n\r\nOn Fri, Anna wrote:\r\n> Hi'
  inbox.arrive(letter({ headers, body }))
  inbox.arrive(letter({ headers, body }), '\\Junk')
  const [event] = await inbox.waitForEvents('lead.replied')
  expect(event.data).toMatchObject({
    lead: { id: leadId, sending_state: 'stopped', stop_reason: 'replied', status: 'replied' },
    message: { message_id: messageId, step: 1, mailbox: address },
    reply: { message_id: '<r1@lead.example>', text: 'Sounds good.', snippet: 'Sounds good.' },
  })
  inbox.arrive(letter({ headers: ['Message-ID: <r2@lead.example>', `References: ${messageId}`] }))
  expect(await inbox.waitForEvents('lead.replied', 2)).toHaveLength(2)

  const { ctx, workspaceId } = inbox
  const { items } = await listThreads(ctx, workspaceId, page, {
    mailboxId: mailbox.id,
    campaignId: campaign.id,
    kind: 'reply',
    unread: true,
  })
  expect(items).toMatchObject([{ id: leadId, from_address: lead, subject: 'Re: Hello' }])
  const { messages } = await getThread(ctx, workspaceId, leadId, page)
  expect(messages.items.map(({ direction }) => direction)).toEqual(['in', 'in', 'out'])
  const after = { limit: 10, startingAfter: items[0]?.last_message_id }
  expect((await listThreads(ctx, workspaceId, after)).items).toEqual([])
  await markRead(ctx, workspaceId, { ids: [leadId], read: true })
  expect((await listThreads(ctx, workspaceId, page, { unread: true })).items).toEqual([])
})

test('a mail that belongs to no conversation leaves no trace', async () => {
  const { leadId, messageId } = await contacted()
  inbox.arrive(letter({ from: 'friend@private.example', headers: ['Message-ID: <p@x.example>'] }))
  inbox.arrive(letter({ headers: ['Message-ID: <r@x.example>', `In-Reply-To: ${messageId}`] }))
  await inbox.waitForEvents('lead.replied')
  const { peek } = inbox.ctx.database
  const rows = await peek.selectFrom('messages').select('from_address').execute()
  expect(rows.map((row) => row.from_address).toSorted()).toEqual([lead, address])
  expect((await inbox.lead(leadId)).email_reply_count).toBe(1)
})

test('a reply without any reference is known by its sender, and how it was known is kept', async () => {
  const { leadId } = await contacted()
  inbox.arrive(letter({ subject: 'Something else' }))
  await inbox.waitForEvents('lead.replied')
  const { peek } = inbox.ctx.database
  const stored = await peek
    .selectFrom('messages')
    .select(['thread_id', 'details'])
    .where('direction', '=', 'in')
    .execute()
  expect(stored).toEqual([{ thread_id: leadId, details: { matched_by: 'address' } }])
})

test('a colleague who answers to the subject stops the company, where the campaign stops for it', async () => {
  const { leadId } = await contacted({ stop_for_company: true })
  inbox.arrive(letter({ from: 'boss@lead.example', subject: 'Something else' }))
  inbox.arrive(letter({ from: 'boss@other.example', subject: 'AW: Hello' }))
  inbox.arrive(letter({ from: 'boss@lead.example', subject: 'AW: Hello' }))
  const [event] = await inbox.waitForEvents('lead.replied')
  expect(event.data.lead).toMatchObject({ id: leadId, stop_reason: 'replied' })
  const { peek } = inbox.ctx.database
  const stored = await peek
    .selectFrom('messages')
    .selectAll()
    .where('direction', '=', 'in')
    .execute()
  expect(stored).toMatchObject([{ details: { matched_by: 'subject' }, subject: 'AW: Hello' }])
})

test('an answer that a group passes on under its own address, which is the mailbox, is its author’s', async () => {
  const { leadId, messageId } = await contacted()
  const headers = [
    ...[`In-Reply-To: ${messageId}`, `X-Original-From: Ada <${lead}>`],
    ...['List-Id: <anna.example.com>', 'Precedence: list'],
  ]
  inbox.arrive(letter({ from: `"'Ada' via Sales" <${address}>`, headers }))
  await inbox.waitForEvents('lead.replied')
  const { items } = await listThreads(inbox.ctx, inbox.workspaceId, page)
  expect(items).toMatchObject([{ id: leadId, from_address: lead, kind: 'reply' }])
})

test('an answer that is faster than the record of its mail is not lost', async () => {
  const { leadId, messageId } = await inbox.contact([lead])
  const { peek } = inbox.ctx.database
  await peek.deleteFrom('message_ids').execute()
  await peek.updateTable('leads').set({ timestamp_last_contact: null, mailbox_id: null }).execute()
  await peek.updateTable('sends').set({ state: 'transmitting' }).execute()
  inbox.startReader()
  inbox.arrive(letter({ from: 'x@y.example', headers: [`In-Reply-To: ${messageId}`] }))
  inbox.arrive(letter())
  const events = await inbox.waitForEvents('lead.replied', 2)
  expect(events.map(({ data }) => data.lead.id)).toEqual([leadId, leadId])
})

test('a first reading goes back to the first mail whose lead is still written to', async () => {
  const { leadId, messageId } = await inbox.contact([lead])
  const daysAgo = (days: number) => new Date(inbox.ctx.now().getTime() - days * 86_400_000)
  const { peek } = inbox.ctx.database
  await peek
    .updateTable('sends')
    .set({ timestamp_transmitting: daysAgo(10) })
    .execute()
  await peek
    .updateTable('leads')
    .set({ timestamp_last_contact: daysAgo(10) })
    .execute()
  inbox.arrive(letter({ headers: [`In-Reply-To: ${messageId}`] }))
  const mails = inbox.store.find(address)?.folders.get('INBOX')?.mails ?? []
  for (const mail of mails) mail.receivedAt = daysAgo(8)
  inbox.startReader()
  const [event] = await inbox.waitForEvents('lead.replied')
  expect(event.data.lead.id).toBe(leadId)
})

test('what a lead wrote before it was written to is no answer', async () => {
  const { leadId } = await inbox.contact([lead])
  inbox.arrive(letter())
  const mails = inbox.store.find(address)?.folders.get('INBOX')?.mails ?? []
  for (const mail of mails) mail.receivedAt = new Date(inbox.ctx.now().getTime() - 86_400_000)
  inbox.startReader()
  await inbox.readAll()
  expect((await inbox.lead(leadId)).email_reply_count).toBe(0)
})

test('an answer that is read late is of the campaign that its lead had heard of by then', async () => {
  const { leadId } = await inbox.contact([lead])
  inbox.ctx.clock.advance(3_600_000)
  inbox.arrive(letter({ subject: 'Something else' }))
  const [mail] = inbox.store.find(address)?.folders.get('INBOX')?.mails ?? []
  if (mail) mail.receivedAt = inbox.ctx.now()
  inbox.ctx.clock.advance(3_600_000)
  const later = await inbox.contact([lead])
  inbox.startReader()
  const [event] = await inbox.waitForEvents('lead.replied')
  expect(event.data.lead.id).toBe(leadId)
  expect((await inbox.lead(later.leadId)).email_reply_count).toBe(0)
})

test('a hard bounce suppresses the address, stops the lead and counts for bounce protection', async () => {
  const { leadId, messageId } = await contacted()
  inbox.arrive(report({ recipient: lead, messageId }))
  const [event] = await inbox.waitForEvents('email.bounced')
  expect(event.data).toMatchObject({
    lead: { id: leadId, status: 'bounced', sending_state: 'stopped', stop_reason: 'bounced' },
    bounce: { kind: 'hard', code: '5.1.1' },
  })
  const { peek } = inbox.ctx.database
  const suppressed = await peek.selectFrom('suppressions').select(['value', 'reason']).execute()
  expect(suppressed).toEqual([{ value: lead, reason: 'bounced' }])
  const days = await peek.selectFrom('campaign_days').select(['bounced', 'refused']).execute()
  expect(days.filter(({ bounced }) => bounced > 0)).toEqual([{ bounced: 1, refused: 0 }])
})

test('a colleague whose copy comes back is not the lead', async () => {
  const { leadId, messageId } = await contacted({ cc_list: ['boss@example.com'] })
  inbox.arrive(report({ recipient: 'boss@example.com', messageId }))
  await inbox.untilRead(async () => {
    const { items } = await listThreads(inbox.ctx, inbox.workspaceId, page)
    return items.length === 1 ? true : undefined
  })
  expect(await inbox.lead(leadId)).toMatchObject({ status: 'contacted', sending_state: 'active' })
})

test('an answer to a mail that nobody knew to have arrived settles it', async () => {
  const { messageId } = await inbox.contact([lead])
  const { peek } = inbox.ctx.database
  await peek.updateTable('sends').set({ state: 'uncertain' }).execute()
  inbox.startReader()
  inbox.arrive(letter({ headers: [`In-Reply-To: ${messageId}`] }))
  await inbox.waitForEvents('lead.replied')
  expect(await inbox.ledger()).toMatchObject([{ state: 'sent' }])
})

test('whom an answer had in Cc is kept with it', async () => {
  const { leadId } = await contacted()
  inbox.arrive(letter({ headers: ['Cc: Bo <Boss@lead.example>, team: eve@lead.example;'] }))
  await inbox.waitForEvents('lead.replied')
  const { messages } = await getThread(inbox.ctx, inbox.workspaceId, leadId, page)
  expect(messages.items[0]?.cc_addresses).toEqual(['boss@lead.example', 'eve@lead.example'])
})

test('an answer to a mail that a person said had not arrived is not lost, though it is known by its sender alone', async () => {
  const { ctx, workspaceId } = inbox
  const { peek } = ctx.database
  const { leadId, campaign } = await inbox.contact([lead])
  const { id } = await peek
    .updateTable('sends')
    .set({ state: 'uncertain', look_at: null })
    .returning('id')
    .executeTakeFirstOrThrow()
  await sendAgain(ctx, workspaceId, id, operator)
  inbox.startReader()
  inbox.arrive(letter({ subject: 'Before it is sent again', body: 'Who are you?' }))
  await inbox.waitForEvents('lead.replied')
  expect(await inbox.lead(leadId)).toMatchObject({ stop_reason: 'replied', mailbox_id: null })

  // By now it was sent again from another mailbox.
  const other = await inbox.createMailbox(bert)
  await peek.updateTable('leads').set({ mailbox_id: other.id }).where('id', '=', leadId).execute()
  await peek.updateTable('sends').set({ mailbox_id: other.id, state: 'sent' }).execute()
  inbox.arrive(letter({ subject: 'After it was sent again', body: 'Who are you?' }))
  expect(await inbox.waitForEvents('lead.replied', 2)).toMatchObject([
    { campaign_id: campaign.id },
    { campaign_id: campaign.id },
  ])
})

test('somebody who is out of office gets the next mail when they are back', async () => {
  const { leadId, messageId } = await contacted()
  const back = new Date(inbox.ctx.now().getTime() + 20 * 86_400_000).toISOString().slice(0, 10)
  inbox.arrive(
    letter({
      subject: 'Automatic reply: Hello',
      headers: [`In-Reply-To: ${messageId}`, 'Auto-Submitted: auto-replied'],
      body: `I am out of the office and back on ${back}.`,
    }),
  )
  await inbox.waitForEvents('lead.auto_replied')
  const row = await inbox.lead(leadId)
  expect(row.sending_state).toBe('active')
  expect((row.timestamp_next_send as Date).toISOString().slice(0, 10)).toBe(back)
})

test('a wish not to be written to is suggested, and done where the workspace says so', async () => {
  const { leadId, messageId } = await contacted({ stop_on_reply: false })
  const wish = (id: string) =>
    letter({ headers: [`Message-ID: ${id}`, `In-Reply-To: ${messageId}`], body: 'Unsubscribe' })
  inbox.arrive(wish('<u1@x.example>'))
  await inbox.waitForEvents('lead.replied')
  const { ctx, workspaceId } = inbox
  const { items } = await listThreads(ctx, workspaceId, page)
  expect(items).toMatchObject([{ id: leadId, suggestion: 'unsubscribed' }])
  expect((await inbox.lead(leadId)).status).toBe('replied')

  await setWorkspace(ctx, workspaceId, { unsubscribeByReply: true })
  inbox.arrive(wish('<u2@x.example>'))
  await inbox.waitForEvents('lead.unsubscribed')
  expect(await inbox.lead(leadId)).toMatchObject({
    ...{ status: 'unsubscribed', sending_state: 'stopped' },
  })
})

test('an answer to the id that the provider gave the mail finds its lead, and a follow-up refers to it', async () => {
  const { leadId, messageId } = await inbox.contact([lead])
  const copy = inbox.outbox[0]?.source.toString() ?? ''
  const stamped = '<stamped@provider.example>'
  inbox.arrive(Buffer.from(copy.replace(messageId, stamped)), '\\Sent')
  inbox.startReader()
  const { peek } = inbox.ctx.database
  await inbox.untilRead(async () => {
    const [send] = await peek.selectFrom('sends').select('provider_message_id').execute()
    return send?.provider_message_id === stamped ? true : undefined
  })
  inbox.arrive(letter({ from: 'ada@private.example', headers: [`In-Reply-To: ${stamped}`] }))
  const [event] = await inbox.waitForEvents('lead.replied')
  expect(event.data.lead.id).toBe(leadId)
})

const stamped = '<stamped@provider.example>'
/** The copy that a provider keeps which gives mails Message-IDs of its own. */
const stampedCopy = (messageId: string, more = '') =>
  Buffer.from(
    (inbox.outbox[0]?.source.toString() ?? '').replace(
      `Message-ID: ${messageId}`,
      `Message-ID: ${stamped}${more}`,
    ),
  )

test('a report that names the id which the provider gave the mail is proven, also the first time that anything is read', async () => {
  const { messageId } = await inbox.contact([lead])
  inbox.arrive(stampedCopy(messageId), '\\Sent')
  inbox.arrive(report({ recipient: lead, messageId: stamped }))
  inbox.startReader()
  const [event] = await inbox.waitForEvents('email.bounced')
  expect(event.data.bounce.kind).toBe('hard')
  const { peek } = inbox.ctx.database
  const suppressed = await peek.selectFrom('suppressions').select(['value', 'reason']).execute()
  expect(suppressed).toEqual([{ value: lead, reason: 'bounced' }])
})

test('what cites the id which the provider gave the mail is known by it however soon it comes', async () => {
  const { leadId, messageId } = await contacted()
  const { peek } = inbox.ctx.database
  await inbox.untilRead(async () => {
    const [mailbox] = await peek.selectFrom('mailboxes').select('inbox_read_at').execute()
    return mailbox?.inbox_read_at ? true : undefined
  })
  inbox.arrive(stampedCopy(messageId), '\\Sent')
  inbox.arrive(letter({ from: 'ada@private.example', headers: [`In-Reply-To: ${stamped}`] }))
  const [event] = await inbox.waitForEvents('lead.replied')
  expect(event.data.lead.id).toBe(leadId)
})

test('the id which the provider gave the mail is its own, also where a copy of it came in before', async () => {
  const { leadId, messageId, mailbox } = await inbox.contact([lead])
  const known = { workspace_id: inbox.workspaceId, mailbox_id: mailbox.id, alias: stamped }
  const cameIn = { ...known, id: inbox.ctx.newId(), lead_id: null, campaign_id: null }
  await addMessageIds(inbox.ctx.db, [cameIn])
  inbox.arrive(stampedCopy(messageId), '\\Sent')
  inbox.arrive(letter({ from: 'ada@private.example', headers: [`In-Reply-To: ${stamped}`] }))
  inbox.startReader()
  const [event] = await inbox.waitForEvents('lead.replied')
  expect(event.data.lead.id).toBe(leadId)
})

test('the id which the provider gave the mail is learnt, also where a copy of the one beside it came in before', async () => {
  const { leadId, messageId, mailbox } = await inbox.contact([lead])
  const original = '<original@example.com>'
  const known = { workspace_id: inbox.workspaceId, mailbox_id: mailbox.id, alias: original }
  const cameIn = { ...known, id: inbox.ctx.newId(), lead_id: null, campaign_id: null }
  await addMessageIds(inbox.ctx.db, [cameIn])
  const more = `\r\nX-Microsoft-Original-Message-ID: ${original}`
  inbox.arrive(stampedCopy(messageId, more), '\\Sent')
  inbox.arrive(letter({ from: 'ada@private.example', headers: [`In-Reply-To: ${stamped}`] }))
  inbox.startReader()
  const [event] = await inbox.waitForEvents('lead.replied')
  expect(event.data.lead.id).toBe(leadId)
})

test('a copy that names our Message-ID beside its own is of that mail, whatever became of its subject', async () => {
  const { leadId, messageId } = await inbox.contact([lead])
  const source = stampedCopy(messageId, `\r\nX-Microsoft-Original-Message-ID: ${messageId}`)
  inbox.arrive(
    Buffer.from(source.toString().replace('Subject: Hello', 'Subject: Changed')),
    '\\Sent',
  )
  inbox.arrive(letter({ from: 'ada@private.example', headers: [`In-Reply-To: ${stamped}`] }))
  inbox.startReader()
  const [event] = await inbox.waitForEvents('lead.replied')
  expect(event.data.lead.id).toBe(leadId)
})

test('a copy that is there before its mail is recorded as sent is read again', async () => {
  const { leadId, messageId } = await inbox.contact([lead])
  const { peek } = inbox.ctx.database
  const sent = await peek.selectFrom('messages').selectAll().executeTakeFirstOrThrow()
  await peek.updateTable('messages').set({ mailbox_id: leadId }).execute()
  await peek.updateTable('sends').set({ state: 'transmitting' }).execute()
  inbox.arrive(stampedCopy(messageId), '\\Sent')
  inbox.startReader()
  await inbox.readAll()
  await peek.updateTable('messages').set({ mailbox_id: sent.mailbox_id }).execute()
  await peek.updateTable('sends').set({ state: 'sent' }).execute()
  inbox.arrive(letter({ from: 'ada@private.example', headers: [`In-Reply-To: ${stamped}`] }))
  const [event] = await inbox.waitForEvents('lead.replied')
  expect(event.data.lead.id).toBe(leadId)
})

/** Two mails to one person with the same subject: of the first nobody knows whether it was taken. */
async function lostAndNext() {
  // Else ours may have filed its own copy of the lost one by then, which proves it.
  const { id } = await inbox.createReadMailbox()
  await updateMailbox(inbox.ctx, inbox.workspaceId, id, { save_sent: 'off' }, operator)
  const { messageId: lost } = await inbox.contact([lead])
  const { messageId } = await inbox.contact([lead])
  const { peek } = inbox.ctx.database
  await peek
    .updateTable('sends')
    .set({ state: 'uncertain', look_at: null })
    .where('message_id', '=', lost)
    .execute()
  const early = new Date(inbox.ctx.now().getTime() - 30_000)
  await peek
    .updateTable('messages')
    .set({ timestamp: early })
    .where('message_id', '=', lost)
    .execute()
  const copy = inbox.outbox.map(({ source }) => source.toString())
  const source = copy.find((each) => each.includes(messageId)) ?? ''
  const sendOf = (id: string) =>
    peek.selectFrom('sends').selectAll().where('message_id', '=', id).executeTakeFirstOrThrow()
  return {
    ...{ lost, messageId, sendOf, copy: Buffer.from(source.replace(messageId, stamped)) },
    isLearnt: async () =>
      (await sendOf(messageId)).provider_message_id === stamped ? true : undefined,
  }
}

const unknown = { state: 'uncertain', provider_message_id: null }

test('a copy in the Sent folder tells of one mail: another to the same person stays uncertain', async () => {
  const { lost, sendOf, copy, isLearnt } = await lostAndNext()
  inbox.arrive(copy, '\\Sent')
  inbox.startReader()
  await inbox.untilRead(isLearnt)
  inbox.arrive(letter({ headers: [`In-Reply-To: ${stamped}`] }))
  await inbox.waitForEvents('lead.replied')
  expect(await sendOf(lost)).toMatchObject(unknown)
})

test('a copy of what is not recorded as sent yet is not taken for that of an earlier mail to the same person', async () => {
  const { lost, messageId, sendOf, copy, isLearnt } = await lostAndNext()
  const { peek } = inbox.ctx.database
  const { id, mailbox_id, lead_id } = await sendOf(messageId)
  const record = (mailboxId: string, state: 'transmitting' | 'sent') =>
    Promise.all([
      peek.updateTable('messages').set({ mailbox_id: mailboxId }).where('id', '=', id).execute(),
      peek.updateTable('sends').set({ state }).where('id', '=', id).execute(),
    ])
  await record(lead_id, 'transmitting')
  inbox.arrive(copy, '\\Sent')
  inbox.startReader()
  await inbox.readAll()
  expect(await sendOf(lost)).toMatchObject(unknown)
  await record(mailbox_id, 'sent')
  await inbox.untilRead(isLearnt)
  expect(await sendOf(lost)).toMatchObject(unknown)
})
