import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { address, type Inbox, letter, report, testInbox } from '../../../../test/inbox.ts'
import { upsertThreads } from '../../messages/index.ts'
import { getThread, listThreads, replyInThread } from '../index.ts'
import { showConversation } from './shown-conversation.ts'

let inbox: Inbox
beforeAll(async () => {
  inbox = await testInbox()
  await inbox.createReadMailbox()
  inbox.startReader()
})
afterAll(() => inbox[Symbol.asyncDispose]())

const dayMs = 86_400_000
const page = { limit: 50, startingAfter: undefined }
const threadOf = (leadId: string) => getThread(inbox.ctx, inbox.workspaceId, leadId, page)

let people = 0

/** A lead that was written to. */
async function contacted() {
  people += 1
  const from = `person${people}@lead.example`
  return { from, ...(await inbox.contact([from])) }
}

/** While a person answers. */
async function sender(): Promise<AsyncDisposable> {
  const runner = await inbox.startRunner()
  return { [Symbol.asyncDispose]: () => runner.stop() }
}

let letters = 0

/** The headers of an answer to a mail. */
const answering = (messageId: string) => {
  letters += 1
  return [`Message-ID: <answer${letters}@lead.example>`, `In-Reply-To: ${messageId}`]
}

const eventsOf = async (from: string) => {
  const { peek } = inbox.ctx.database
  const events = peek.selectFrom('events').select(['type', 'body']).where('lead_email', '=', from)
  return events.where('type', '<>', 'email.sent').orderBy('id').execute()
}

test('an answer is to the mail that arrived last, also where an older one was read after it', async () => {
  const { leadId, from, messageId } = await contacted()
  inbox.arrive(letter({ from, headers: answering(messageId), body: 'The later one.' }))
  const newer = letters
  await inbox.readAll()
  const earlier = new Date(inbox.ctx.now().getTime() - 3_600_000)
  const folder = inbox.account(address).folders.get('INBOX')
  folder?.add(letter({ from, headers: answering(messageId), body: 'The earlier one.' }), earlier)
  await inbox.readAll()
  await using _ = await sender()
  await replyInThread(inbox.ctx, inbox.workspaceId, {
    ...{ thread_id: leadId, text: 'Thank you.', idempotency_key: leadId },
  })
  const { messages } = await threadOf(leadId)
  expect(messages.items).toHaveLength(4)
  const ours = messages.items.find(({ kind }) => kind === 'manual')
  expect(ours?.in_reply_to).toBe(`<answer${newer}@lead.example>`)
})

test('an answer that comes back is among the bounces until they write again, and one that is late is not', async () => {
  const { ctx, workspaceId } = inbox
  const { leadId, from, messageId } = await contacted()
  inbox.arrive(letter({ from, headers: answering(messageId) }))
  await inbox.readAll()
  const answer = { thread_id: leadId, text: 'Thank you.', idempotency_key: leadId }
  await using _ = await sender()
  const { message_id } = await replyInThread(ctx, workspaceId, answer)
  const inBounces = async () =>
    (await listThreads(ctx, workspaceId, page, { view: 'bounces' })).items.some(
      ({ id, unread }) => id === leadId && unread,
    )
  const late = { action: 'delayed', status: '4.4.1' }
  inbox.arrive(report({ recipient: from, messageId: message_id }, late))
  await inbox.readAll()
  expect(await inBounces()).toBe(false)
  inbox.arrive(report({ recipient: from, messageId: message_id }))
  await inbox.readAll()
  expect(await inBounces()).toBe(true)
  expect((await threadOf(leadId)).messages.items[0]).toMatchObject({ kind: 'bounce' })
  inbox.arrive(letter({ from, headers: answering(message_id) }))
  await inbox.readAll()
  expect(await inBounces()).toBe(false)
})

test('the last mail of a conversation stays the last one where an earlier one is written after it', async () => {
  const { ctx, workspaceId } = inbox
  const { leadId, from, messageId } = await contacted()
  const before = ctx.newId()
  inbox.arrive(letter({ from, headers: answering(messageId), body: 'The later one.' }))
  await inbox.readAll()
  const peek = ctx.database.peek
  const { last_message_id, campaign_id, mailbox_id } = await peek
    .selectFrom('threads')
    .selectAll()
    .where('id', '=', leadId)
    .executeTakeFirstOrThrow()
  const late = { id: leadId, last_message_id: before, campaign_id, mailbox_id, kind: 'reply' }
  const said = { from_address: from, subject: '', snippet: 'The earlier one.', suggestion: null }
  await upsertThreads(
    peek,
    workspaceId,
    [{ ...late, ...said, arrived_at: ctx.now(), words: '' }],
    ctx.now(),
  )
  expect(await threadOf(leadId)).toMatchObject({ last_message_id, snippet: 'The later one.' })
})

describe('a conversation says that somebody else answered', () => {
  const isFromAnother = async (leadId: string) => {
    await inbox.readAll()
    return (await threadOf(leadId)).is_from_another
  }

  test('until a report, a machine or a lead writes in it', async () => {
    const { leadId, from, messageId } = await contacted()
    const write = (sender: string, ...headers: string[]) => {
      inbox.arrive(letter({ from: sender, headers: [...answering(messageId), ...headers] }))
      return isFromAnother(leadId)
    }
    expect(await write('max@lead.example')).toBe(true)
    inbox.arrive(report({ recipient: from, messageId }, { action: 'delayed', status: '4.4.1' }))
    expect(await isFromAnother(leadId)).toBe(false)
    expect(await write('max@lead.example')).toBe(true)
    expect(await write('no-reply@lead.example', 'Auto-Submitted: auto-replied')).toBe(false)
    expect(await write('max@lead.example')).toBe(true)
    expect(await write(from)).toBe(false)
    expect(await threadOf(leadId)).toMatchObject({ kind: 'reply', from_address: from })
  })

  test('but not where the lead wrote from another spelling of its address, or nobody is named', async () => {
    const { leadId, messageId } = await inbox.contact(['ann@bücher.example'])
    const write = (from: string) => {
      inbox.arrive(letter({ from, headers: answering(messageId) }))
      return isFromAnother(leadId)
    }
    expect(await write('Ann@xn--bcher-kva.example')).toBe(false)
    expect(await write('')).toBe(false)
    expect((await threadOf(leadId)).from_address).toBe('')
  })
})

describe('what cites no mail of ours is no answer', () => {
  test.each([
    ['a newsletter', ['List-Id: <news.lead.example>']],
    ['one that can be cancelled', ['List-Unsubscribe: <https://lead.example/u>']],
    ['mail to many', ['Precedence: bulk']],
    ['talk on a list', ['List-Id: <all.lead.example>', 'In-Reply-To: <one@lead.example>']],
  ])('when it is %s', async (_what, headers) => {
    const { leadId, from } = await contacted()
    inbox.arrive(letter({ from, subject: 'Our news', headers, body: 'Hello all' }))
    await inbox.readAll()
    expect(await inbox.lead(leadId)).toMatchObject({ email_reply_count: 0, status: 'contacted' })
    expect(await eventsOf(from)).toEqual([])
  })

  test.each([
    [91, 0],
    [89, 1],
  ])('when the last mail was %i days ago: %i answers', async (days, answers) => {
    const { leadId, from } = await contacted()
    const { peek } = inbox.ctx.database
    const at = new Date(inbox.ctx.now().getTime() - days * dayMs)
    await peek
      .updateTable('leads')
      .set({ timestamp_last_contact: at })
      .where('id', '=', leadId)
      .execute()
    const times = { timestamp_transmitting: at, timestamp_claimed: at, timestamp_settled: at }
    await peek.updateTable('sends').set(times).where('lead_id', '=', leadId).execute()
    inbox.arrive(letter({ from, subject: 'Invoice 4711', body: 'Please find it attached.' }))
    await inbox.readAll()
    expect((await inbox.lead(leadId)).email_reply_count).toBe(answers)
  })
})

test('an answer to our mail is one, also when its writer’s program calls it bulk', async () => {
  const { leadId, from, messageId } = await contacted()
  const headers = [...answering(messageId), 'List-Id: <desk.lead.example>']
  inbox.arrive(letter({ from, headers }))
  await inbox.readAll()
  expect((await inbox.lead(leadId)).email_reply_count).toBe(1)
})

test('that a mail is late is told in the conversation, and is no bounce', async () => {
  const { leadId, from, messageId } = await contacted()
  const delayed = { action: 'delayed', status: '4.4.1' }
  inbox.arrive(report({ recipient: from, messageId }, delayed))
  await inbox.readAll()
  expect(await eventsOf(from)).toEqual([])
  expect(await threadOf(leadId)).toMatchObject({ kind: 'bounce' })
})

describe('a wish not to be written to', () => {
  const wish = async () => {
    const contact = await contacted()
    const { from, messageId } = contact
    inbox.arrive(letter({ from, body: 'Unsubscribe', headers: answering(messageId) }))
    return contact
  }

  test('stays in sight when a machine writes after it, until a person answers', async () => {
    const { ctx, workspaceId } = inbox
    const { leadId, from, messageId } = await wish()
    const headers = [...answering(messageId), 'Auto-Submitted: auto-replied']
    inbox.arrive(letter({ from, subject: 'Out of office', body: 'I am out of office.', headers }))
    await inbox.readAll()
    expect(await threadOf(leadId)).toMatchObject({ kind: 'reply', suggestion: 'unsubscribed' })
    const { items } = await listThreads(ctx, workspaceId, page, { kind: 'reply' })
    expect(items.map(({ id }) => id)).toContain(leadId)
    await using _sender = await sender()
    await replyInThread(ctx, workspaceId, { thread_id: leadId, idempotency_key: from, text: 'Yes' })
    expect(await threadOf(leadId)).toMatchObject({ suggestion: null })
  })

  test('is suggested no more when it is done', async () => {
    const { leadId, from, campaign } = await wish()
    await inbox.readAll()
    const body = { email: from, campaign_id: campaign.id, new_status: 'unsubscribed' }
    await inbox.call('POST', '/api/v2/lead/update/status', { body })
    expect((await inbox.lead(leadId)).status).toBe('unsubscribed')
    expect(await threadOf(leadId)).toMatchObject({ suggestion: null })
  })
})

test('who answers is shown by the name that they give', async () => {
  const { leadId, from, messageId } = await contacted()
  const headers = answering(messageId)
  inbox.arrive(letter({ from: `"The Boss" <${from}>`, body: 'Gladly.', headers }))
  inbox.arrive(letter({ from, body: 'On Tuesday.', headers }))
  await inbox.readAll()
  const { messages } = await showConversation(inbox.ctx, inbox.workspaceId, leadId)
  const received = messages.filter(({ direction }) => direction === 'in')
  expect(received.map(({ text, from_name }) => [text.trim(), from_name]).toSorted()).toEqual([
    ['Gladly.', 'The Boss'],
    ['On Tuesday.', null],
  ])
  expect(received.map(({ from_address }) => from_address)).toEqual([from, from])
})

test('what is attached to an answer is named, by its kind where it has no name', async () => {
  const { leadId, from, messageId } = await contacted()
  const lines = [
    ...[`From: ${from}`, `To: ${address}`, 'Subject: Re: Hello', ...answering(messageId)],
    ...['Content-Type: multipart/mixed; boundary=B', '', '--B', 'Content-Type: text/plain', ''],
    ...['See the offer.', '', '--B', 'Content-Type: application/pdf'],
    ...['Content-Disposition: attachment; filename="offer.pdf"', '', '%PDF', '--B'],
    ...['Content-Type: image/png', 'Content-Disposition: attachment', '', 'PNG', '--B--', ''],
  ]
  inbox.arrive(Buffer.from(lines.join('\r\n')))
  await inbox.readAll()
  const { messages } = await showConversation(inbox.ctx, inbox.workspaceId, leadId)
  const shown = messages.flatMap(({ attachments }) => attachments)
  expect(shown).toEqual(['offer.pdf', 'image/png'])
})

test('of an answer without a text the list says what is attached', async () => {
  const { leadId, from, messageId } = await contacted()
  const lines = [
    ...[`From: ${from}`, `To: ${address}`, 'Subject: Re: Hello', ...answering(messageId)],
    ...['Content-Type: multipart/mixed; boundary=B', '', '--B', 'Content-Type: text/plain', ''],
    ...['', '--B', 'Content-Type: application/pdf'],
    ...['Content-Disposition: attachment; filename="offer.pdf"', '', '%PDF', '--B--', ''],
  ]
  inbox.arrive(Buffer.from(lines.join('\r\n')))
  await inbox.readAll()
  const { items } = await listThreads(inbox.ctx, inbox.workspaceId, page)
  expect(items.find(({ id }) => id === leadId)?.snippet).toBe('Attached: offer.pdf')
})

test('the time of an answer is when it arrived, not when it was read', async () => {
  const { leadId, from, messageId } = await contacted()
  const arrived = new Date(Math.floor(inbox.ctx.now().getTime() / 1000) * 1000 - 20 * 3_600_000)
  const folder = inbox.account(address).folders.get('INBOX')
  folder?.add(letter({ from, headers: answering(messageId) }), arrived)
  await inbox.readAll()
  expect((await inbox.lead(leadId)).timestamp_last_reply).toEqual(arrived)
  const [event] = await eventsOf(from)
  expect(JSON.parse(event?.body ?? '').timestamp).toBe(arrived.toISOString())
  const { items } = await listThreads(inbox.ctx, inbox.workspaceId, page)
  expect(items.find(({ id }) => id === leadId)?.timestamp_last_message).toEqual(arrived)
})

test('an answer from a server whose clock is ahead has not arrived in the future', async () => {
  const { leadId, from, messageId } = await contacted()
  const arrived = new Date(inbox.ctx.now().getTime() + 3_600_000)
  const folder = inbox.account(address).folders.get('INBOX')
  folder?.add(letter({ from, headers: answering(messageId) }), arrived)
  await inbox.readAll()
  const { timestamp_last_reply } = await inbox.lead(leadId)
  expect(Number(timestamp_last_reply)).toBeLessThanOrEqual(inbox.ctx.now().getTime())
})

describe('who answers a mail of ours can be answered', () => {
  test('also when a report said that the address is gone', async () => {
    const { ctx, workspaceId } = inbox
    const { leadId, from, messageId } = await contacted()
    inbox.arrive(report({ recipient: from, messageId }))
    await inbox.readAll()
    expect(await inbox.lead(leadId)).toMatchObject({ stop_reason: 'bounced' })
    const answer = { thread_id: leadId, idempotency_key: from, text: 'Thanks' }
    // Anybody can write in somebody's name.
    inbox.arrive(letter({ from, headers: ['Message-ID: <forged@evil.example>'] }))
    await inbox.readAll()
    await expect(replyInThread(ctx, workspaceId, answer)).rejects.toMatchObject({
      code: 'not_eligible',
    })
    inbox.arrive(letter({ from, headers: answering(messageId) }))
    await inbox.readAll()
    await using _sender = await sender()
    expect(await replyInThread(ctx, workspaceId, answer)).toMatchObject({ state: 'sent' })
    expect(await inbox.lead(leadId)).toMatchObject({ stop_reason: 'bounced' })
  })

  test('at the address of the lead where their mail came without one that can be written to', async () => {
    const { ctx, workspaceId } = inbox
    const { leadId, from, messageId } = await contacted()
    for (const writer of ['ann@localhost', 'nobody']) {
      inbox.arrive(letter({ from: writer, headers: answering(messageId) }))
    }
    await inbox.readAll()
    const { messages, answer_to } = await showConversation(ctx, workspaceId, leadId)
    expect([messages[0]?.kind, answer_to]).toEqual(['reply', from])
    await using _sender = await sender()
    const answer = { thread_id: leadId, idempotency_key: from, text: 'Thanks' }
    const sent = await replyInThread(ctx, workspaceId, answer)
    expect(sent).toMatchObject({ state: 'sent', to_address: from })
  })

  test('but not who has unsubscribed', async () => {
    const { ctx, workspaceId } = inbox
    const { leadId, from, campaign, messageId } = await contacted()
    const body = { email: from, campaign_id: campaign.id, new_status: 'unsubscribed' }
    await inbox.call('POST', '/api/v2/lead/update/status', { body })
    inbox.arrive(letter({ from, headers: answering(messageId) }))
    await inbox.readAll()
    const answer = { thread_id: leadId, idempotency_key: from, text: 'Thanks' }
    await expect(replyInThread(ctx, workspaceId, answer)).rejects.toMatchObject({
      code: 'not_eligible',
    })
  })
})
