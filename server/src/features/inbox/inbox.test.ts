import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Sending, testSending } from '../../../test/sending.ts'
import { startImapServer } from '../../demo/mail-server/index.ts'
import { getThread, type InboxRunner, listThreads, markRead, startInboxRunner } from './index.ts'

let sending: Sending
let imap: Awaited<ReturnType<typeof startImapServer>>
let runner: InboxRunner | undefined
beforeEach(async () => {
  sending = await testSending()
  imap = await startImapServer(sending.store)
})
afterEach(async () => {
  await runner?.stop()
  runner = undefined
  await imap[Symbol.asyncDispose]()
  await sending[Symbol.asyncDispose]()
})

const address = 'anna@example.com'
const lead = 'ada@lead.example'
const page = { limit: 10, startingAfter: undefined }
const steps = [
  { variants: [{ subject: 'Hello', body: '<p>Hi</p>' }] },
  { delay: 2, variants: [{ subject: '', body: '<p>Again</p>' }] },
]

/** A campaign whose first mail to the lead was sent. */
async function contacted(more: object = {}) {
  const settings = { host: '127.0.0.1', security: 'none', username: address }
  const mailbox = await sending.createMailbox(address, {
    imap: { ...settings, password: 'correct horse', port: imap.port },
  })
  const campaign = await sending.createCampaign([mailbox], { sequences: [{ steps }], ...more })
  await sending.startRunner()
  const [leadId = ''] = await sending.addLeads(campaign.id, [lead])
  const [entry] = await sending.waitForLedger((all) => all.some(({ state }) => state === 'sent'))
  return { mailbox, campaign, leadId, messageId: entry?.message_id ?? '' }
}

interface Letter {
  from?: string
  subject?: string
  headers?: string[]
  body?: string
}

const letter = ({ from = lead, subject = 'Re: Hello', headers = [], body = 'Yes.' }: Letter) =>
  Buffer.from(
    [
      `From: ${from}`,
      `To: ${address}`,
      `Subject: ${subject}`,
      ...headers,
      'Content-Type: text/plain; charset=utf-8',
      '',
      body,
      '',
    ].join('\r\n'),
  )

function arrives(source: Buffer, use: string | null = null) {
  const account = sending.store.find(address)
  if (account) sending.store.file(account, source, use)
}

const reads = () => {
  runner = startInboxRunner(sending.ctx)
}

async function eventsOf(type: string) {
  const { peek } = sending.ctx.database
  const rows = await peek.selectFrom('events').select('body').where('type', '=', type).execute()
  return rows.map(({ body }) => JSON.parse(body))
}

/** Resolves once there are so many. */
async function waitForEvents(type: string, count = 1) {
  for (;;) {
    const events = await eventsOf(type)
    if (events.length >= count) return events
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

const leadRow = (id: string) =>
  sending.ctx.database.peek
    .selectFrom('leads')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

test('a reply stops the lead, tells so once, and is in the unified inbox', async () => {
  const { leadId, mailbox, campaign, messageId } = await contacted()
  reads()
  const headers = ['Message-ID: <r1@lead.example>', `In-Reply-To: ${messageId}`]
  const body = 'Sounds good.\r\n\r\nOn Fri, Anna wrote:\r\n> Hi'
  arrives(letter({ headers, body }))
  arrives(letter({ headers, body }), '\\Junk')
  const [event] = await waitForEvents('lead.replied')
  expect(event.data).toMatchObject({
    lead: { id: leadId, sending_state: 'stopped', stop_reason: 'replied', status: 'replied' },
    message: { message_id: messageId, step: 1, mailbox: address },
    reply: { message_id: '<r1@lead.example>', text: 'Sounds good.', snippet: 'Sounds good.' },
  })
  // Whatever else lies in the folders has been read once this came through.
  arrives(letter({ headers: ['Message-ID: <r2@lead.example>', `References: ${messageId}`] }))
  expect(await waitForEvents('lead.replied', 2)).toHaveLength(2)

  const { ctx, workspaceId } = sending
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
  await markRead(ctx, workspaceId, [leadId], true)
  expect((await listThreads(ctx, workspaceId, page, { unread: true })).items).toEqual([])
})

test('a mail that belongs to no conversation leaves no trace', async () => {
  const { leadId, messageId } = await contacted()
  reads()
  arrives(letter({ from: 'friend@private.example', headers: ['Message-ID: <p@x.example>'] }))
  arrives(letter({ headers: ['Message-ID: <r@x.example>', `In-Reply-To: ${messageId}`] }))
  await waitForEvents('lead.replied')
  const { peek } = sending.ctx.database
  const rows = await peek.selectFrom('messages').select('from_address').execute()
  expect(rows.map((row) => row.from_address).toSorted()).toEqual([lead, address])
  expect((await leadRow(leadId)).email_reply_count).toBe(1)
})

test('a reply without any reference is known by its sender, and by itself only once', async () => {
  const { leadId } = await contacted()
  reads()
  arrives(letter({ subject: 'Something else' }))
  await waitForEvents('lead.replied')
  const { peek } = sending.ctx.database
  const stored = await peek
    .selectFrom('messages')
    .select(['thread_id', 'details'])
    .where('direction', '=', 'in')
    .execute()
  expect(stored).toEqual([{ thread_id: leadId, details: { matched_by: 'address' } }])
})

test('a hard bounce suppresses the address and stops the lead', async () => {
  const { leadId, messageId } = await contacted()
  reads()
  arrives(
    Buffer.from(
      [
        'From: MAILER-DAEMON@mx.example',
        `To: ${address}`,
        'Subject: Undelivered Mail Returned to Sender',
        'Content-Type: multipart/report; report-type=delivery-status; boundary=B',
        '',
        '--B',
        'Content-Type: message/delivery-status',
        '',
        'Reporting-MTA: dns; mx.example',
        '',
        `Final-Recipient: rfc822; ${lead}`,
        'Action: failed',
        'Status: 5.1.1',
        '',
        '--B',
        'Content-Type: text/rfc822-headers',
        '',
        `Message-ID: ${messageId}`,
        '',
        '--B--',
        '',
      ].join('\r\n'),
    ),
  )
  const [event] = await waitForEvents('email.bounced')
  expect(event.data).toMatchObject({
    lead: { id: leadId, status: 'bounced', sending_state: 'stopped', stop_reason: 'bounced' },
    bounce: { kind: 'hard', code: '5.1.1' },
  })
  const { peek } = sending.ctx.database
  const suppressed = await peek.selectFrom('suppressions').select(['value', 'reason']).execute()
  expect(suppressed).toEqual([{ value: lead, reason: 'bounced' }])
})

test('somebody who is out of office gets the next mail when they are back', async () => {
  const { leadId, messageId } = await contacted()
  reads()
  const back = new Date(sending.ctx.now().getTime() + 20 * 86_400_000).toISOString().slice(0, 10)
  arrives(
    letter({
      subject: 'Automatic reply: Hello',
      headers: [`In-Reply-To: ${messageId}`, 'Auto-Submitted: auto-replied'],
      body: `I am out of the office and back on ${back}.`,
    }),
  )
  await waitForEvents('lead.auto_replied')
  const row = await leadRow(leadId)
  expect(row.sending_state).toBe('active')
  expect(row.timestamp_next_send?.toISOString().slice(0, 10)).toBe(back)
})

test('a wish not to be written to is suggested, and done where the workspace says so', async () => {
  const { leadId, messageId } = await contacted({ stop_on_reply: false })
  reads()
  const wish = (id: string) =>
    letter({ headers: [`Message-ID: ${id}`, `In-Reply-To: ${messageId}`], body: 'Unsubscribe' })
  arrives(wish('<u1@x.example>'))
  await waitForEvents('lead.replied')
  const { ctx, workspaceId } = sending
  const { items } = await listThreads(ctx, workspaceId, page)
  expect(items).toMatchObject([{ id: leadId, suggestion: 'unsubscribed' }])
  expect((await leadRow(leadId)).status).toBe('replied')

  await ctx.db.updateTable('workspaces').set({ unsubscribe_by_reply: true }).execute()
  arrives(wish('<u2@x.example>'))
  await waitForEvents('lead.unsubscribed')
  expect(await leadRow(leadId)).toMatchObject({ status: 'unsubscribed', sending_state: 'stopped' })
})

test('an answer to the id that the provider gave the mail finds its lead', async () => {
  const { leadId } = await contacted()
  const sentCopy = sending.outbox[0]?.source.toString() ?? ''
  arrives(
    Buffer.from(sentCopy.replace(/^Message-ID: .*$/im, 'Message-ID: <stamped@provider.example>')),
    '\\Sent',
  )
  reads()
  const { peek } = sending.ctx.database
  for (;;) {
    const ids = await peek.selectFrom('message_ids').select('hash').execute()
    if (ids.length > 1) break
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  arrives(
    letter({ from: 'ada@private.example', headers: ['In-Reply-To: <stamped@provider.example>'] }),
  )
  const [event] = await waitForEvents('lead.replied')
  expect(event.data.lead.id).toBe(leadId)
})
