import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { address, fetched, type Inbox, testInbox } from '../../../test/inbox.ts'
import { setWorkspace } from '../workspaces/index.ts'
import { readInbound } from './ingest/inbound-message.ts'
import { ingest } from './ingest/ingest.ts'

let inbox: Inbox
let mailboxId: string
/** Of our mails, which no stranger knows. */
let ours: string[]
beforeAll(async () => {
  inbox = await testInbox()
  const { id } = await inbox.createReadMailbox()
  mailboxId = id
  await setWorkspace(inbox.ctx, inbox.workspaceId, { unsubscribeByReply: true })
  const settings = { cc_list: [colleague], stop_for_company: true }
  // So many to one that mails which came back could be a row.
  for (let mail = 0; mail < 6; mail++) await inbox.contact(leads.slice(0, 1), settings)
  await inbox.contact(leads, settings)
  ours = (await inbox.ledger()).map(({ message_id }) => message_id)
})
afterAll(() => inbox[Symbol.asyncDispose]())

const leads = ['ada@lead.example', 'bob@lead.example', 'eva@other.example']
const colleague = 'boss@ours.example'

const someone = fc.constantFrom(
  ...[...leads, ...leads, colleague, address, 'mallory@evil.example'],
  ...['MAILER-DAEMON@mx.example', 'postmaster@lead.example', 'Ada <ADA@Lead.Example>', '<>', ''],
)

/** Some are those of other mails that came in: they are known, and a stranger chose them. */
const strangeId = fc.oneof(
  fc.nat({ max: 400 }).map((number) => `<chosen${number}@evil.example>`),
  fc.constantFrom('<>', '<a@b', 'a@b>', `<${'a'.repeat(40)}@example.com>`, '<@>', '< >'),
)

const line = (name: string, value: fc.Arbitrary<string>) => value.map((text) => `${name}: ${text}`)

const subject = fc.constantFrom(
  ...['Re: Hello', 'Hello', 'Unsubscribe', 'Undelivered Mail Returned to Sender', 'STOP', ''],
  ...['Out of office', 'Automatische Antwort: Hello', 'Delivery Status Notification (Failure)'],
  ...[`Unsubscribe [${'A'.repeat(120)}]`, '=?utf-8?Q?Unsub=73cribe?=', '=?utf-8?B?////?='],
)

const header = fc.oneof(
  line('From', someone),
  line('Sender', someone),
  line('Reply-To', someone),
  line('Return-Path', someone),
  line('To', someone),
  line('Cc', someone),
  line('Subject', subject),
  line('Message-ID', strangeId),
  line('In-Reply-To', strangeId),
  line(
    'References',
    fc.array(strangeId, { maxLength: 4 }).map((ids) => ids.join(' ')),
  ),
  line('X-Failed-Recipients', someone),
  line('X-MS-Exchange-Message-OriginalId', strangeId),
  line('Auto-Submitted', fc.constantFrom('auto-replied', 'auto-generated', 'no')),
  line('Precedence', fc.constantFrom('bulk', 'list', 'auto_reply', 'x')),
  fc.constantFrom('List-Id: <x.example>', 'X-Autoreply: yes', ' folded', ': ', 'From', 'From:'),
)

const word = fc.constantFrom(
  ...[
    'Unsubscribe',
    'STOP',
    'Please remove me from your list.',
    'Bitte austragen',
    'unsubscribe me',
  ],
  ...[
    'Remove',
    'opt out',
    'No more emails',
    'Merci de me désinscrire',
    'Yes, gladly.',
    'Stop. Stop.',
  ],
  ...[
    'I am out of office until 24.12.',
    'This is the mail system. Delivery has failed:',
    '',
    '> x',
  ],
  ...['<ada@lead.example>: 550 5.1.1 No such user', 'ada@lead.example', 'On Fri, Anna wrote:'],
  ...['550 5.1.1 User unknown', 'Diagnostic: the mailbox does not exist', '--B', '--B--'],
)

const words = fc.array(word, { minLength: 1, maxLength: 5 }).map((some) => some.join('\r\n'))

const statusBlock = fc
  .record({
    field: fc.constantFrom('Final-Recipient', 'Original-Recipient', 'X-Recipient'),
    recipient: someone,
    action: fc.constantFrom('failed', 'delayed', 'relayed', 'FAILED', 'failed (gone)', ''),
    status: fc.constantFrom('5.1.1', '5.1.2', '5.0.0', '4.2.2', '5.2.2', '5.7.1', 'x', ''),
    text: fc.constantFrom('smtp; 550 5.1.1 No such user', '550 User unknown', '452 full', ''),
  })
  .map(({ field, recipient, action, status, text }) =>
    [
      ...[`${field}: rfc822; ${recipient}`, `Action: ${action}`, `Status: ${status}`],
      ...[`Diagnostic-Code: ${text}`, ''],
    ].join('\r\n'),
  )

const status = fc
  .array(statusBlock, { maxLength: 3 })
  .map((blocks) => ['Reporting-MTA: dns; mx.example', '', ...blocks].join('\r\n'))

const feedback = fc
  .tuple(fc.constantFrom('abuse', 'fraud', 'opt-out', 'not-spam', 'other', ''), someone)
  .map(([kind, recipient]) =>
    [
      ...[`Feedback-Type: ${kind}`, 'Version: 1', 'User-Agent: x'],
      ...[`Original-Rcpt-To: ${recipient}`, `Original-Mail-From: ${address}`],
    ].join('\r\n'),
  )

const original = fc
  .tuple(strangeId, someone)
  .map(([id, to]) => `Message-ID: ${id}\r\nTo: ${to}\r\nFrom: ${address}\r\nSubject: Hello\r\n`)

const part = fc
  .oneof(
    words.map((content) => ['text/plain', content]),
    words.map((content) => ['text/html', `<p>${content}</p>`]),
    status.map((content) => ['message/delivery-status', content]),
    status.map((content) => ['message/global-delivery-status', content]),
    feedback.map((content) => ['message/feedback-report', content]),
    original.map((content) => ['text/rfc822-headers', content]),
    original.map((content) => ['message/rfc822', `${content}\r\nHi`]),
    words.map((content) => ['message/disposition-notification', content]),
    fc.string({ unit: 'binary', maxLength: 40 }).map((content) => ['text/x', content]),
  )
  .map(([type, content]) => `--B\r\nContent-Type: ${type}\r\n\r\n${content}\r\n`)

const multipart = fc
  .tuple(
    fc.constantFrom(
      ...[
        'multipart/report; report-type=delivery-status; boundary=B',
        'multipart/report; boundary=B',
      ],
      ...[
        'multipart/report; report-type="feedback-report"; boundary="B"',
        'multipart/mixed; boundary=B',
      ],
      ...['multipart/alternative; boundary=B', 'multipart/digest; boundary=B', 'text/plain'],
    ),
    fc.array(part, { maxLength: 4 }),
    fc.constantFrom('--B--\r\n', ''),
  )
  .map(([type, parts, end]) => `Content-Type: ${type}\r\n\r\n${parts.join('')}${end}`)

/** Whatever a stranger may send: nothing of it is known to be a Message-ID of ours. */
const strangeMail = fc
  .tuple(
    someone,
    fc.nat({ max: 400 }),
    fc.array(header, { maxLength: 6 }),
    fc.oneof(
      { weight: 3, arbitrary: multipart },
      words.map((text) => `\r\n${text}\r\n`),
    ),
  )
  .map(([from, number, headers, rest]) =>
    [`From: ${from}`, `Message-ID: <chosen${number}@evil.example>`, ...headers, rest].join('\r\n'),
  )

async function read(sources: string[], receivedAt = inbox.ctx.now()) {
  const now = inbox.ctx.now()
  const mails = sources.map((text, at) => fetched(Buffer.from(text), receivedAt, at + 1))
  const incoming = await Promise.all(mails.map((mail) => readInbound(inbox.workspaceId, mail, now)))
  const ids = { workspace_id: inbox.workspaceId, id: mailboxId }
  const mailbox = { ...ids, address, imap_version: inbox.ctx.newId() }
  const position = { folder: 'INBOX', uid_validity: '1', next_uid: 1, read_at: inbox.ctx.now() }
  return ingest(inbox.ctx, mailbox, incoming, position)
}

/** Everything that nothing takes back by itself. */
async function finalFacts() {
  const { peek } = inbox.ctx.database
  const suppressed = await peek.selectFrom('suppressions').select(['value', 'reason']).execute()
  const rows = await peek.selectFrom('leads').select(['email', 'status', 'stop_reason']).execute()
  const ended = rows.filter(
    ({ status, stop_reason }) =>
      ['bounced', 'unsubscribed'].includes(status) ||
      ['bounced', 'unsubscribed', 'blocked'].includes(stop_reason ?? ''),
  )
  const days = await peek.selectFrom('campaign_days').select('bounced').execute()
  return { suppressed, ended, bounced: days.filter(({ bounced }) => bounced > 0) }
}

/** So that another mail, or a part of this one, is judged by itself. */
async function forget() {
  const { peek } = inbox.ctx.database
  await peek.deleteFrom('suppressions').execute()
  await peek.updateTable('campaign_days').set({ bounced: 0 }).execute()
  await peek
    .updateTable('leads')
    .set({ status: 'contacted', stop_reason: null, sending_state: 'active' })
    .execute()
}

test('a mail from before the first of ours is no answer, and leaves no trace', async () => {
  const before = new Date(inbox.ctx.now().getTime() - 86_400_000)
  const mail = 'From: ada@lead.example\r\nMessage-ID: <before@lead.example>\r\n\r\nHello\r\n'
  const known = () =>
    inbox.ctx.database.peek.selectFrom('message_ids').select('message_id').orderBy('hash').execute()
  const ids = await known()
  expect(await read([mail], before)).toBe(0)
  expect(await known()).toEqual(ids)
})

test('no mail that cites no mail of ours bounces, unsubscribes or suppresses anybody', async () => {
  let taken = 0
  const nothing = { suppressed: [], ended: [], bounced: [] }
  await fc.assert(
    fc.asyncProperty(fc.array(strangeMail, { minLength: 1, maxLength: 16 }), async (sources) => {
      fc.pre(!ours.some((id) => sources.some((source) => source.includes(id))))
      taken += await read(sources)
      const facts = await finalFacts()
      if (facts.suppressed.length > 0 || facts.ended.length > 0) await forget()
      expect(facts).toEqual(nothing)
    }),
    { numRuns: 60 },
  )
  // They were not merely passed over.
  expect(taken).toBeGreaterThan(100)
  const { peek } = inbox.ctx.database
  const threads = await peek.selectFrom('threads').select(['suggestion', 'kind']).execute()
  expect(threads.map(({ suggestion }) => suggestion)).toContain('unsubscribed')
})

test('the same mails do end a lead where they cite a mail of ours', async () => {
  const [cited = ''] = ours
  const report = [
    ...['From: MAILER-DAEMON@mx.example', 'Message-ID: <proven@mx.example>'],
    ...['Content-Type: multipart/report; report-type=delivery-status; boundary=B', '', '--B'],
    ...['Content-Type: message/delivery-status', '', 'Reporting-MTA: dns; mx.example', ''],
    ...[`Final-Recipient: rfc822; ${leads[0]}`, 'Action: failed', 'Status: 5.1.1'],
    ...['Diagnostic-Code: smtp; 550 5.1.1 No such user', '', '--B'],
    ...['Content-Type: text/rfc822-headers', '', `Message-ID: ${cited}`, '', '--B--', ''],
  ]
  await read([report.join('\r\n')])
  expect((await finalFacts()).suppressed).toEqual([{ value: leads[0], reason: 'bounced' }])
})
