import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Inbox, letter, testInbox } from '../../../test/inbox.ts'
import { imapSettings } from '../../../test/sending.ts'
import { operator } from '../audit/index.ts'
import { handOver } from '../hand-over/index.ts'
import { removeMailbox } from '../mailboxes/index.ts'
import { getThread, listThreads, replyInThread } from './index.ts'

let inbox: Inbox
beforeEach(async () => {
  inbox = await testInbox()
})
afterEach(() => inbox[Symbol.asyncDispose]())

const lead = 'ada@lead.example'
const boss = 'boss@ours.example'
const bert = 'bert@example.com'
const page = { limit: 10, startingAfter: undefined }

const threadOf = (leadId: string) => getThread(inbox.ctx, inbox.workspaceId, leadId, page)

/** Headers of an answer, with a Message-ID of its own. */
const answering = (messageId: string, id: string) => [
  `Message-ID: <${id}@example.net>`,
  `In-Reply-To: ${messageId}`,
]

describe('somebody who gets copies of what the lead is sent', () => {
  let contact: Awaited<ReturnType<Inbox['contact']>>
  beforeEach(async () => {
    contact = await inbox.contact([lead], { cc_list: [boss] })
    inbox.startReader()
  })

  test('writes in the conversation, and the lead has not answered', async () => {
    const { leadId, messageId } = contact
    inbox.arrive(letter({ from: boss, headers: answering(messageId, 'boss'), body: 'I confirm.' }))
    await inbox.readAll()
    expect(await inbox.lead(leadId)).toMatchObject({
      ...{ email_reply_count: 0, status: 'contacted', sending_state: 'active' },
    })
    const { kind, unread, messages } = await threadOf(leadId)
    expect({ kind, unread }).toEqual({ kind: 'colleague', unread: false })
    expect(messages.items.map((message) => message.kind)).toEqual(['colleague', 'step'])
  })

  test('is on holiday, and the lead is not', async () => {
    const { leadId, messageId } = contact
    const before = await inbox.lead(leadId)
    const day = new Date(inbox.ctx.now().getTime() + 60 * 86_400_000).toISOString().slice(0, 10)
    const headers = [...answering(messageId, 'away'), 'Auto-Submitted: auto-replied']
    const body = `I am out of office until ${day}.`
    inbox.arrive(letter({ from: boss, subject: 'Out of office', headers, body }))
    await inbox.readAll()
    expect((await inbox.lead(leadId)).timestamp_next_send).toEqual(before.timestamp_next_send)
  })

  test('wrote last, and an answer by hand still goes to the lead', async () => {
    const { leadId, messageId } = contact
    inbox.arrive(letter({ headers: answering(messageId, 'ada') }))
    inbox.arrive(letter({ from: boss, headers: answering('<ada@example.net>', 'boss') }))
    await inbox.readAll()
    expect(await threadOf(leadId)).toMatchObject({ kind: 'reply', unread: true })
    const { ctx, workspaceId } = inbox
    await inbox.startRunner()
    const answer = { thread_id: leadId, idempotency_key: 'key', text: 'Thanks' }
    expect((await replyInThread(ctx, workspaceId, answer)).to_address).toBe(lead)
  })

  test('is the only one who wrote, and an answer by hand goes to the lead', async () => {
    const { leadId, messageId } = contact
    inbox.arrive(letter({ from: boss, headers: answering(messageId, 'boss') }))
    await inbox.readAll()
    const { ctx, workspaceId } = inbox
    await inbox.startRunner()
    const answer = { thread_id: leadId, idempotency_key: 'key', text: 'Thanks' }
    expect((await replyInThread(ctx, workspaceId, answer)).to_address).toBe(lead)
  })

  test('is a lead of their own, and answers as such what they were sent themselves', async () => {
    const { leadId, messageId } = await inbox.contact([boss], { cc_list: [boss] })
    inbox.arrive(letter({ from: boss, headers: answering(messageId, 'boss') }))
    const [event] = await inbox.waitForEvents('lead.replied')
    expect(event.data.lead.id).toBe(leadId)
  })
})

test('another mailbox of the workspace that writes in the conversation is not the lead', async () => {
  await inbox.createMailbox(bert, imapSettings(inbox.imapPort, bert))
  const { leadId, messageId } = await inbox.contact([lead])
  inbox.startReader()
  inbox.arrive(letter({ from: bert, headers: answering(messageId, 'bert') }))
  inbox.arrive(letter({ headers: answering(messageId, 'ada') }))
  const [event] = await inbox.waitForEvents('lead.replied')
  expect(event.data.reply.message_id).toBe('<ada@example.net>')
  const kinds = (await threadOf(leadId)).messages.items.map(({ kind }) => kind)
  expect(kinds).toEqual(['reply', 'colleague', 'step'])
})

test('whose mailbox was removed and handed over writes there, and the lead has not answered', async () => {
  const { ctx, workspaceId } = inbox
  const { mailbox, leadId, messageId } = await inbox.contact([lead])
  await inbox.createMailbox(bert, imapSettings(inbox.imapPort, bert))
  await handOver(ctx, workspaceId, { from: mailbox.address, to: bert }, operator)
  await removeMailbox(ctx, workspaceId, mailbox.id, operator)
  const arrive = (mail: Buffer) => inbox.store.file(inbox.account(bert), mail, null)
  arrive(letter({ from: mailbox.address, headers: answering(messageId, 'anna') }))
  arrive(letter({ headers: answering(messageId, 'ada') }))
  inbox.startReader()
  const [event] = await inbox.waitForEvents('lead.replied')
  expect(event.data.reply.message_id).toBe('<ada@example.net>')
  const kinds = (await threadOf(leadId)).messages.items.map(({ kind }) => kind)
  expect(kinds).toEqual(['reply', 'colleague', 'step'])
})

test('the conversation of a mailbox that was removed is no other one that reads a mail of it', async () => {
  const { ctx, workspaceId } = inbox
  const { mailbox, leadId, messageId } = await inbox.contact([lead], { cc_list: [boss] })
  await inbox.createMailbox(bert, imapSettings(inbox.imapPort, bert))
  await removeMailbox(ctx, workspaceId, mailbox.id, operator)
  const arrive = (mail: Buffer) => inbox.store.file(inbox.account(bert), mail, null)
  arrive(letter({ headers: answering(messageId, 'ada') }))
  inbox.startReader()
  const [event] = await inbox.waitForEvents('lead.replied')
  expect(event.data.message.mailbox).toBe(mailbox.address)
  // By itself: nothing that a colleague writes is told of the lead.
  arrive(letter({ from: boss, headers: answering(messageId, 'boss') }))
  await inbox.untilRead(async () => (await threadOf(leadId)).messages.items.length === 3)
  const { messages, mailbox_id } = await threadOf(leadId)
  expect(messages.items.map(({ kind }) => kind)).toEqual(['colleague', 'reply', 'step'])
  expect(mailbox_id).toBe(mailbox.id)
})

test('a conversation stays with the mailbox that leads it, whichever one reads an answer', async () => {
  await inbox.createMailbox(bert, imapSettings(inbox.imapPort, bert))
  const { mailbox, leadId, messageId } = await inbox.contact([lead])
  const headers = [`Cc: ${bert}`, ...answering(messageId, 'both')]
  inbox.store.file(inbox.account(bert), letter({ headers }), null)
  inbox.startReader()
  await inbox.waitForEvents('lead.replied')
  expect((await threadOf(leadId)).mailbox_id).toBe(mailbox.id)
  const { items } = await listThreads(inbox.ctx, inbox.workspaceId, page, { mailboxId: mailbox.id })
  expect(items).toHaveLength(1)
})
