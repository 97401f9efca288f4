import fc from 'fast-check'
import { expect, test } from 'vitest'
import { longestTurnMs } from '../../../../test/longest-turn.ts'
import { snippetOf } from '../../../kernel/text.ts'
import { classify } from './classify.ts'
import { parseMessage } from './message.ts'
import { visibleText } from './visible-text.ts'

/** Of processor time. */
const heldMaxMs = 5_000
const receivedAt = new Date('2026-11-20T09:37:30.000Z')

async function understand(source: Buffer) {
  const message = await parseMessage(source)
  return { message, inbound: classify(message, receivedAt) }
}

const headers = [
  ...['From: MAILER-DAEMON@mx.example', 'Return-Path: <>', 'Auto-Submitted: auto-replied'],
  ...['Subject: Re: out of office', 'Subject: =?utf-8?Q?a=00=ED=A0=80?=', 'Message-ID: <a@b>'],
  ...['In-Reply-To: <a@b> <c@d>', 'X-Failed-Recipients: ada@lead.example', 'Content-Type:'],
  ...['Content-Type: multipart/report; boundary=B', 'Content-Type: multipart/mixed; boundary=B'],
  ...['Content-Type: text/html; charset=utf-16', 'Content-Transfer-Encoding: base64'],
]
const bodies = [
  ...[
    '--B',
    '--B--',
    '',
    'Content-Type: message/delivery-status',
    'Action: failed',
    'Status: 5.1.1',
  ],
  ...['Final-Recipient: rfc822; ada@lead.example', 'Content-Type: message/rfc822', '> quoted'],
  ...['Content-Type: message/feedback-report', 'Original-Rcpt-To: <ada@lead.example>', '<b>x</b>'],
  ...[
    'back on 31.02.2027',
    'until 3.–7. December',
    'On Fri, Ada wrote:',
    'unsubscribe',
    '\0\ud800',
  ],
]

test('no mail is too broken to be understood, and nothing of it breaks a database', async () => {
  const lines = fc.tuple(
    fc.array(fc.constantFrom(...headers), { maxLength: 6 }),
    fc.array(fc.oneof(fc.constantFrom(...bodies), fc.string({ unit: 'binary' })), {
      maxLength: 15,
    }),
  )
  const texts = lines.map(([head, body]) => Buffer.from([...head, '', ...body].join('\r\n')))
  const sources = fc.oneof(
    texts,
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  )
  await fc.assert(
    fc.asyncProperty(sources, async (source) => {
      const { message, inbound } = await understand(source)
      const { header: _header, ...stored } = message
      const json = JSON.stringify({ stored, inbound, snippet: snippetOf(visibleText(message)) })
      expect(json).not.toMatch(/\\u0000|\\ud[89a-f]/i)
    }),
    { numRuns: 400 },
  )
})

const long = 200_000
const inReport = (field: string) =>
  [
    'Content-Type: multipart/report; report-type=delivery-status; boundary=B',
    '\r\n--B',
    'Content-Type: message/delivery-status',
    '',
    `Action: failed\r\n${field}`,
    '--B--',
  ].join('\r\n')
const fromServer = (body: string) => `From: mailer-daemon@x.example\r\n\r\nUndeliverable\r\n${body}`

test.each([
  ['a recipient without an end', inReport(`Final-Recipient: rfc822;${'a'.repeat(long)}`)],
  [
    'a recipient of nothing but at signs',
    inReport(`Final-Recipient: rfc822;${'a@'.repeat(long)},`),
  ],
  ['a diagnostic', inReport(`Diagnostic-Code: smtp; ${'user mailbox '.repeat(long / 13)}`)],
  ['white space', inReport(`Diagnostic-Code:${' '.repeat(long)}x`)],
  ['failed recipients', `X-Failed-Recipients: ${'a'.repeat(long)}\r\n\r\nUndeliverable`],
  ['a line of at signs', fromServer(`${'a@'.repeat(long / 2)},`)],
  ['dashes', fromServer('-'.repeat(long))],
  ['angle brackets', `References: ${'<a'.repeat(long / 2)}\r\n\r\nx`],
  ['at signs for ids', `References: ${'a@'.repeat(long / 2)}\r\n\r\nx`],
  ['encoded ids', `References: ${'=?utf-8?q?=3C'.repeat(long / 13)}\r\n\r\nx`],
  ['a subject', `Subject: ${'Re: '.repeat(long / 4)}out of office\r\n\r\nx`],
  ['a subject of spaces', `Subject: re${' '.repeat(long)}x\r\n\r\nx`],
  ['quotes', `From: a@b.example\r\n\r\n${'On wrote '.repeat(long / 9)}:`],
  ['attributions', `From: a@b.example\r\n\r\n${`${'On '.repeat(160)}\n`.repeat(400)}`],
  ['header lines', `From: a@b.example\r\nSubject: x\r\n\r\n${'Word: value\n'.repeat(long / 12)}`],
  ['colons', `From: a@b.example\r\n\r\n${'x 10:00 :\n'.repeat(long / 10)}`],
  ['wishes', `From: a@b.example\r\n\r\n${'please remove me and '.repeat(long / 21)}`],
  ['greetings', `From: a@b.example\r\n\r\n${'dear '.repeat(long / 5)}`],
  ['names', `From: a@b.example\r\n\r\n${'A b\n\n'.repeat(long / 5)}`],
  ['blockquotes', `Content-Type: text/html\r\n\r\n${'<blockquote>'.repeat(long / 12)}`],
  ['dates', `Subject: Out of office\r\n\r\n${'until 1.1. to 2.2. '.repeat(long / 19)}`],
  [
    'a complaint',
    `Content-Type: message/feedback-report\r\n\r\nOriginal-Rcpt-To:${' '.repeat(long)}x`,
  ],
  ['nested parts', 'Content-Type: multipart/mixed; boundary=B\r\n\r\n--B\r\n'.repeat(3000)],
])('%s: a mail that is meant to take long does not', async (_what, source) => {
  let textLength = 0
  const heldMs = await longestTurnMs(heldMaxMs, async () => {
    const { message } = await understand(Buffer.from(source))
    textLength = visibleText(message).length
  })
  expect(textLength).toBeLessThanOrEqual(2 * long)
  expect(heldMs).toBeLessThan(heldMaxMs)
})

test('whoever writes about holidays gets answers about holidays', async () => {
  const subject = async (text: string) =>
    (await understand(Buffer.from(`Subject: ${text}\r\nIn-Reply-To: <a@b>\r\n\r\nTell me more.`)))
      .inbound
  expect(await subject('Re: Your annual leave planning')).toMatchObject({ kind: 'reply' })
  expect(await subject('AW: Semester und Ferie')).toMatchObject({ kind: 'reply' })
  expect(await subject('Annual leave Re: Your planning')).toMatchObject({ kind: 'auto_reply' })
})

test('that a mail arrived, or was opened, is no answer', async () => {
  const part = (type: string, content: string) =>
    Buffer.from(
      `Auto-Submitted: auto-replied\r\nContent-Type: multipart/report; boundary=B\r\n\r\n--B\r\nContent-Type: ${type}\r\n\r\n${content}\r\n--B--\r\n`,
    )
  for (const source of [
    part('message/disposition-notification', 'Disposition: manual-action/MDN-sent; displayed'),
    part('message/delivery-status', 'Final-Recipient: rfc822; a@b.example\r\nAction: relayed'),
  ]) {
    expect((await understand(source)).inbound).toEqual({ kind: 'notice' })
  }
})
