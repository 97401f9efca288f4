import type { ImapServerOptions } from '../src/demo/mail-server/index.ts'
import { type InboxRunner, startInboxRunner } from '../src/features/inbox/index.ts'
import { MailboxOwner } from '../src/features/mailbox-lanes/index.ts'
import type { Mailbox } from '../src/features/mailboxes/index.ts'
import type { SendingRunner } from '../src/features/sending/index.ts'
import type { FetchedMail } from '../src/kernel/mail/index.ts'
import type { Answer } from './app.ts'
import { asService, type FreeContext } from './context.ts'
import { imapSettings, type Sending, testSending } from './sending.ts'
import { createSignal, type Signal } from './signal.ts'

export interface Inbox extends Sending {
  imapPort: number
  /** A mailbox with an IMAP server that is really there; `port` puts something between. */
  createReadMailbox: (port?: number) => Promise<Mailbox>
  /** A campaign whose first mail to each of these was sent; of the last one the mail is told. */
  contact: (emails: (string | object)[], more?: object) => Promise<Contacted>
  /** Puts a mail into the mailbox, into the folder of a use. */
  arrive: (source: Buffer, use?: string | null) => void
  startReader: () => InboxRunner
  /** The runner that sends, from now on; without it only while `contact` waits. */
  startSender: (ctx?: FreeContext) => Promise<SendingRunner>
  /** Resolves when the reader has read something that makes it true. */
  untilRead: Signal['until']
  /** Resolves with them when there are so many. */
  waitForEvents: (type: string, count?: number) => Promise<Answer['body'][]>
  /** Resolves when everything that has arrived so far was read. */
  readAll: () => Promise<void>
  lead: (id: string) => Promise<Record<string, unknown>>
}

interface Contacted {
  mailbox: Mailbox
  campaign: Answer['body']
  leadId: string
  /** With its angle brackets. */
  messageId: string
}

export const address = 'anna@example.com'
const steps = [
  { variants: [{ subject: 'Hello', body: '<p>Hi</p>' }] },
  { delay: 2, variants: [{ subject: '', body: '<p>Again</p>' }] },
]

/** The sending of mails, and an IMAP server on the same store, read on demand. */
export async function testInbox(options: { imap?: ImapServerOptions } = {}): Promise<Inbox> {
  const sending = await testSending({ hasReader: true })
  const imapPort = await sending.startImap(options.imap)
  const { ctx } = sending
  const { raise: onRead, until: untilRead } = createSignal()
  const readers: InboxRunner[] = []
  const runners: SendingRunner[] = []
  let mailbox: Mailbox | undefined
  let markers = 0
  let sender: SendingRunner | undefined
  let owner: MailboxOwner | undefined
  /** Of the one process in which everything that a test starts itself works on the mailboxes. */
  const ownMailboxes = () => {
    owner ??= new MailboxOwner(asService(ctx))
    return owner
  }
  const startReader = () => {
    const reader = startInboxRunner(asService(ctx), ownMailboxes(), { onRead })
    readers.push(reader)
    return reader
  }
  const startRunner = async (own: FreeContext = ctx) => {
    const runner = await sending.startRunner(own, { owner: ownMailboxes() })
    runners.push(runner)
    return runner
  }
  const endProcess = async () => {
    await Promise.all(readers.map((reader) => reader.stop()))
    await owner?.stop()
    owner = undefined
  }

  const createReadMailbox = async (port = imapPort) => {
    mailbox = await sending.createMailbox(address, imapSettings(port, address))
    return mailbox
  }
  const arrive = (source: Buffer, use: string | null = null) => {
    sending.store.file(sending.account(address), source, use)
  }
  const eventsOf = async (type: string) => {
    const events = ctx.database.peek.selectFrom('events').select('body').where('type', '=', type)
    return (await events.orderBy('id').execute()).map(({ body }) => JSON.parse(body))
  }
  return {
    ...sending,
    ...{ imapPort, createReadMailbox, arrive, untilRead },
    async contact(emails, more = {}) {
      const from = mailbox ?? (await createReadMailbox())
      const campaign = await sending.createCampaign([from], { sequences: [{ steps }], ...more })
      const runner = sender ?? (await sending.startRunner(ctx, { owner }))
      const leadIds = await sending.addLeads(campaign.id, emails)
      const leadId = leadIds.at(-1) ?? ''
      const mine = (entries: { lead_id: string; state: string; message_id: string }[]) =>
        entries.filter(({ lead_id, state }) => leadIds.includes(lead_id) && state === 'sent')
      const entries = mine(await sending.waitForLedger((all) => mine(all).length === emails.length))
      if (runner !== sender) await runner.stop()
      const messageId = entries.find(({ lead_id }) => lead_id === leadId)?.message_id ?? ''
      return { mailbox: from, campaign, leadId, messageId }
    },
    startRunner,
    async startSender(own) {
      const runner = await startRunner(own)
      // Who stops it ends the process; the next one reads if that did.
      if (sender && readers.length > 0) startReader()
      sender = {
        ...runner,
        async stop(withinMs) {
          await runner.stop(withinMs)
          await endProcess()
        },
      }
      return sender
    },
    startReader,
    waitForEvents: (type, count = 1) =>
      untilRead(async () => {
        const events = await eventsOf(type)
        return events.length >= count && events
      }),
    async readAll() {
      markers += 1
      arrive(letter({ from: `marker${markers}@nobody.example` }))
      const { peek } = ctx.database
      const inbox = sending.store.find(address)?.folders.get('INBOX')
      await untilRead(async () => {
        const rows = await peek.selectFrom('mailbox_folders').selectAll().execute()
        const row = rows.find(({ folder }) => folder === 'INBOX')
        const isRead = row?.uid_validity === String(inbox?.uidValidity)
        return isRead && Number(row?.next_uid) >= (inbox?.uidNext ?? 0)
      })
    },
    lead: (id) =>
      ctx.database.peek
        .selectFrom('leads')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow(),
    async [Symbol.asyncDispose]() {
      await Promise.all(runners.map((runner) => runner.stop(1_000)))
      await endProcess()
      await sending[Symbol.asyncDispose]()
    },
  }
}

export interface Letter {
  from?: string
  subject?: string
  headers?: string[]
  body?: string
}

/** A mail to the mailbox, written by hand. */
export const letter = ({
  from = 'ada@lead.example',
  subject = 'Re: Hello',
  headers = [],
  body = 'Yes.',
}: Letter = {}) =>
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

/** As an IMAP server tells of a mail, for what reads it without one. */
export const fetched = (source: Buffer, receivedAt: Date, uid = 1): FetchedMail => ({
  ...{ uid, source, isCut: false, sizeBytes: source.length, receivedAt },
  ...{ flags: [], labels: [] },
})

/** What a report is about; without a Message-ID anybody may have made it up. */
interface Reported {
  recipient: string
  messageId?: string
}

/** A report about a mail. */
export const report = (
  { recipient, messageId }: Reported,
  { action = 'failed', status = '5.1.1', diagnostic = 'smtp; 550 No such user' } = {},
) =>
  reportOf('delivery-status', messageId, [
    'Reporting-MTA: dns; mx.example',
    '',
    `Final-Recipient: rfc822; ${recipient}`,
    `Action: ${action}`,
    `Status: ${status}`,
    `Diagnostic-Code: ${diagnostic}`,
  ])

/** Somebody pressed "this is spam". */
export const complaint = ({ recipient, messageId }: Reported, feedbackType = 'abuse') =>
  reportOf('feedback-report', messageId, [
    `Feedback-Type: ${feedbackType}`,
    'User-Agent: test/1',
    'Version: 1',
    `Original-Rcpt-To: ${recipient}`,
  ])

let reports = 0

function reportOf(type: string, messageId: string | undefined, fields: string[]) {
  reports += 1
  const original = ['Content-Type: text/rfc822-headers', '', `Message-ID: ${messageId}`]
  return Buffer.from(
    [
      'From: MAILER-DAEMON@mx.example',
      `To: ${address}`,
      'Subject: Undelivered Mail Returned to Sender',
      `Message-ID: <report${reports}@mx.example>`,
      `Content-Type: multipart/report; report-type=${type}; boundary=B`,
      ...['', '--B', `Content-Type: message/${type}`, '', ...fields, ''],
      ...(messageId === undefined ? [] : ['--B', ...original, '']),
      ...['--B--', ''],
    ].join('\r\n'),
  )
}
