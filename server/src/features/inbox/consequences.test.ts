import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { address, type Inbox, letter, report, testInbox } from '../../../test/inbox.ts'
import { setWorkspace } from '../workspaces/index.ts'

const lead = 'ada@lead.example'

let inbox: Inbox
beforeEach(async () => {
  inbox = await testInbox()
})
afterEach(() => inbox[Symbol.asyncDispose]())

async function contacted() {
  const contact = await inbox.contact([lead])
  inbox.startReader()
  return contact
}

const suppressions = () => inbox.ctx.database.peek.selectFrom('suppressions').selectAll().execute()
const answering = (messageId: string, id: string) => [
  `Message-ID: <${id}@example.net>`,
  `In-Reply-To: ${messageId}`,
]

test.each(['not-spam', 'auth-failure'])(
  'feedback of the type %s unsubscribes nobody, whoever it cites',
  async (type) => {
    const { leadId, messageId } = await contacted()
    const lines = [
      ...[
        'From: fbl@mx.example',
        `To: ${address}`,
        'Subject: report',
        'Message-ID: <f@mx.example>',
      ],
      ...['Content-Type: multipart/report; report-type=feedback-report; boundary=B', '', '--B'],
      ...['Content-Type: message/feedback-report', '', `Feedback-Type: ${type}`, 'Version: 1'],
      ...[`Original-Rcpt-To: ${lead}`, '', '--B', 'Content-Type: text/rfc822-headers', ''],
      ...[`Message-ID: ${messageId}`, '', '--B--', ''],
    ]
    inbox.arrive(Buffer.from(lines.join('\r\n')))
    await inbox.readAll()
    expect(await inbox.lead(leadId)).toMatchObject({ sending_state: 'active' })
    expect(await suppressions()).toEqual([])
  },
)

test.each([
  ['5.0.0', '550 relay not permitted'],
  ['5.1.0', '550 5.1.0 Sender denied'],
  ['5.0.0', '550 SPF check failed'],
  ['5.5.0', '552 Message size exceeds fixed maximum'],
  ['5.2.1', '450 4.2.1 The user is receiving mail too quickly'],
])('a report of %s %s suppresses nobody', async (status, diagnostic) => {
  const { leadId, messageId } = await contacted()
  inbox.arrive(
    report({ recipient: lead, messageId }, { status, diagnostic: `smtp; ${diagnostic}` }),
  )
  await inbox.waitForEvents('email.bounced')
  expect(await suppressions()).toEqual([])
  expect(await inbox.lead(leadId)).toMatchObject({ sending_state: 'active' })
})

describe('a person is no mail server', () => {
  test('who attaches a report to an answer', async () => {
    const { leadId, messageId } = await contacted()
    const lines = [
      ...[`From: Ada <${lead}>`, `To: ${address}`, 'Subject: Re: Hello'],
      ...answering(messageId, 'r3'),
      ...['Content-Type: multipart/mixed; boundary=B', '', '--B', 'Content-Type: text/plain', ''],
      ...['Interested! Your colleague Tom bounced, see attached.', '', '--B'],
      ...['Content-Type: message/delivery-status', '', 'Reporting-MTA: dns; mx.example', ''],
      ...['Final-Recipient: rfc822; tom@ours.example', 'Action: failed', 'Status: 5.1.1', ''],
      ...['--B--', ''],
    ]
    inbox.arrive(Buffer.from(lines.join('\r\n')))
    await inbox.waitForEvents('lead.replied')
    expect(await inbox.lead(leadId)).toMatchObject({ status: 'replied', stop_reason: 'replied' })
    expect(await suppressions()).toEqual([])
  })

  test('whose automatic reply has no return path and names somebody to ask', async () => {
    const { leadId, messageId } = await contacted()
    const body =
      'Ich bin im Urlaub. Ihre Nachricht wurde nicht zugestellt, sondern wartet auf mich.\r\n' +
      'Bitte wenden Sie sich an:\r\n\r\nbob@lead.example\r\n'
    const marks = ['Return-Path: <>', 'Auto-Submitted: auto-replied']
    const headers = [...marks, ...answering(messageId, 'o10')]
    inbox.arrive(letter({ subject: 'Automatische Antwort: Hello', headers, body }))
    await inbox.waitForEvents('lead.auto_replied')
    expect(await suppressions()).toEqual([])
    expect(await inbox.lead(leadId)).toMatchObject({ sending_state: 'active' })
  })
})

test('who is away from one day to another is not written to on the first of them', async () => {
  const { leadId, messageId } = await contacted()
  const now = inbox.ctx.now().getTime()
  const day = (ahead: number) =>
    new Date(now + ahead * 86_400_000).toISOString().slice(0, 10).split('-').reverse().join('.')
  const headers = [...answering(messageId, 'x1'), 'Auto-Submitted: auto-replied']
  const body = `Ich bin ab dem ${day(5)} bis ${day(25)} im Urlaub.`
  inbox.arrive(letter({ subject: 'Automatische Antwort: Hello', body, headers }))
  await inbox.waitForEvents('lead.auto_replied')
  const next = (await inbox.lead(leadId)).timestamp_next_send as Date
  expect(next.getTime()).toBeGreaterThan(now + 24 * 86_400_000)
})

describe('where a reply may unsubscribe', () => {
  test.each([
    ['Sounds great! Could you please take us through a demo next week?', 'replied'],
    ["Please don't email me before 10, I am in meetings. Call me: +49 30 1234.", 'replied'],
    ['We have a supplier until 2028. Please remove me from your list. Who are you?', 'replied'],
    ['Hi Anna,\r\n\r\nplease remove me from your list.\r\n\r\nAda', 'unsubscribed'],
  ])('%s', async (body, reason) => {
    const { leadId, messageId } = await inbox.contact([lead])
    await setWorkspace(inbox.ctx, inbox.workspaceId, { unsubscribeByReply: true })
    inbox.startReader()
    inbox.arrive(letter({ body, headers: answering(messageId, 'w1') }))
    await inbox.waitForEvents('lead.replied')
    expect(await inbox.lead(leadId)).toMatchObject({ stop_reason: reason })
  })
})
