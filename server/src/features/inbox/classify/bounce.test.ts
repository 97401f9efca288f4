import { expect, test } from 'vitest'
import { smtpAnswers } from '../../../../test/mail/smtp-answers.ts'
import { readBounce } from './bounce.ts'
import { classify } from './classify.ts'
import { parseMessage } from './message.ts'

/** A report about Ada's address, as a server writes it that was told this. */
const reportOf = (status: string, diagnostic: string) =>
  parseMessage(
    Buffer.from(
      [
        'From: MAILER-DAEMON@mx.example',
        'Content-Type: multipart/report; report-type=delivery-status; boundary=B',
        '',
        '--B',
        'Content-Type: message/delivery-status; charset=utf-8',
        '',
        'Reporting-MTA: dns; mx.example',
        '',
        'Final-Recipient: rfc822; ada@receiver.example',
        'Action: failed',
        `Status: ${status}`,
        `Diagnostic-Code: smtp; ${diagnostic}`,
        '--B--',
        '',
      ].join('\r\n'),
    ),
  )

async function kindOf(status: string, diagnostic: string) {
  return readBounce(await reportOf(status, diagnostic))?.bounces[0]?.kind
}

test.each(smtpAnswers)(
  'what a report quotes is judged as at the door: $text',
  async ({ verdict, text }) => {
    expect(await kindOf('5.0.0', text)).toBe(verdict === 'bounce' ? 'hard' : 'soft')
  },
)

test.each([
  ['5.0.0', '550 relay not permitted'],
  ['5.1.0', '550 5.1.0 Sender denied'],
  ['5.0.0', '550 SPF check failed'],
  ['5.0.0', '550 Message rejected per DMARC'],
  ['5.0.0', '550 No PTR record found'],
  ['5.5.0', '552 Message size exceeds fixed maximum'],
  ['5.0.0', '550 Administrative prohibition'],
  ['5.2.1', '450 4.2.1 The user is receiving mail too quickly'],
  ['5.1.1', '450 4.1.1 Recipient address rejected: unverified address'],
  ['5.0.0', ''],
  ['5.4.7', 'delivery time expired'],
])('%s %s says nothing of the address', async (status, diagnostic) => {
  expect(await kindOf(status, diagnostic)).toBe('soft')
})

test.each([
  ['5.1.1', ''],
  ['5.1.2', ''],
  ['5.1.3', ''],
  ['5.1.6', ''],
  ['5.1.10', ''],
  ['5.0.350', 'Remote server returned an error -> 550 5.1.1 User unknown'],
  ['5.4.4', 'X-Postfix; Host or domain name not found. Name service error: Host not found'],
])('%s %s says that the address is gone', async (status, diagnostic) => {
  expect(await kindOf(status, diagnostic)).toBe('hard')
})

test.each(['X-Microsoft-Original-Message-ID', 'X-Original-Message-ID'])(
  'what a report is about is told by %s, too, where the provider has replaced our Message-ID',
  async (name) => {
    const source = [
      'From: MAILER-DAEMON@mx.example',
      'Content-Type: multipart/report; report-type=delivery-status; boundary=B',
      ...['', '--B', 'Content-Type: message/delivery-status', ''],
      ...['Final-Recipient: rfc822; ada@receiver.example', 'Action: failed', 'Status: 5.1.1'],
      ...['', '--B', 'Content-Type: text/rfc822-headers', ''],
      ...['Message-ID: <stamped@provider.example>', `${name}: <ours@sender.example>`, '--B--', ''],
    ]
    const message = await parseMessage(Buffer.from(source.join('\r\n')))
    expect(readBounce(message)?.about).toContain('<ours@sender.example>')
  },
)

test('what a server said at length is cut between letters, never within a pair', async () => {
  const report = await reportOf('5.0.0', `${'x'.repeat(993)}${'😀'.repeat(20)}`)
  const { diagnostic = '' } = readBounce(report)?.bounces[0] ?? {}
  expect(diagnostic).toMatch(/x$|😀$/u)
  expect(diagnostic.isWellFormed()).toBe(true)
  expect(diagnostic.length).toBeLessThanOrEqual(1000)
})

const exchange = 'MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@sender.example'

/** A report that a gateway has put into a mail of its own, below a banner. */
const wrappedReport = (from: string) =>
  parseMessage(
    Buffer.from(
      [
        ...[`From: ${from}`, 'Subject: Undeliverable: Hello', 'In-Reply-To: <ours@sender.example>'],
        ...['Content-Type: multipart/mixed; boundary=A', '', '--A', 'Content-Type: text/plain', ''],
        ...['This mail came from outside.', '--A'],
        ...['Content-Type: multipart/report; report-type=delivery-status; boundary=B', '', '--B'],
        ...['Content-Type: text/plain', '', 'Your message could not be delivered.', '--B'],
        ...['Content-Type: message/delivery-status', '', 'Reporting-MTA: dns; mx.example', ''],
        ...['Final-Recipient: rfc822; ada@receiver.example', 'Action: failed', 'Status: 5.1.10'],
        ...['', '--B', 'Content-Type: message/rfc822', '', 'Message-ID: <ours@sender.example>'],
        ...['Subject: Hello', '', 'Hi', '--B--', '', '--A--', ''],
      ].join('\r\n'),
    ),
  )

test.each([exchange, 'postmaster@gateway.example'])(
  'a report of %s that a gateway has wrapped is one',
  async (from) => {
    expect(classify(await wrappedReport(from), new Date('2026-11-20T09:37:30Z'))).toMatchObject({
      kind: 'bounce',
      bounces: [{ kind: 'hard', code: '5.1.10', recipient: 'ada@receiver.example' }],
      about: ['<ours@sender.example>'],
    })
  },
)

test('a report that a person passes on is what they write', async () => {
  const message = await wrappedReport('Ada <ada@receiver.example>')
  expect(classify(message, new Date('2026-11-20T09:37:30Z')).kind).toBe('reply')
})

test.each([
  ['5.1.1', [{ kind: 'hard', code: '5.1.1' }]],
  ['5.7.1', [{ kind: 'soft', code: '5.7.1', isDelay: false }]],
  ['2.0.0', undefined],
  ['4.4.1', undefined],
])(
  'a report without an action says by its status %s whether it failed',
  async (status, bounces) => {
    const source = [
      ...[
        'From: MAILER-DAEMON@mx.example',
        'Content-Type: multipart/report; boundary=B',
        '',
        '--B',
      ],
      ...['Content-Type: message/delivery-status', '', 'Reporting-MTA: dns; mx.example', ''],
      ...['Final-Recipient: rfc822; ada@receiver.example', `Status: ${status}`, '--B--', ''],
    ]
    const report = readBounce(await parseMessage(Buffer.from(source.join('\r\n'))))
    if (bounces) expect(report?.bounces).toMatchObject(bounces)
    else expect(report).toBeUndefined()
  },
)
