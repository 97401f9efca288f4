import type { ReceivedMail } from './mail-program.ts'

/** A mail on its way to one of our mailboxes. */
export interface Letter {
  /** Of the envelope; empty for reports. */
  from: string
  to: string
  source: Buffer
}

export interface Writer {
  email: string
  name: string
}

type Headers = Record<string, string>

/** An answer in the thread, with the mail quoted below as mail programs do. */
export function writeReply(writer: Writer, mail: ReceivedMail, text: string, at: Date): Letter {
  const quoted = mail.text
    .trim()
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
  const lines = [text, '', `On ${at.toUTCString()}, ${mail.from} wrote:`, ...quoted]
  return write(writer, mail, at, { Subject: `Re: ${withoutRe(mail.subject)}` }, lines)
}

/** What a machine answers for somebody who is away. */
export function writeAbsence(writer: Writer, mail: ReceivedMail, text: string, at: Date): Letter {
  const headers = {
    Subject: `Out of office: ${withoutRe(mail.subject)}`,
    'Auto-Submitted': 'auto-replied',
    'X-Auto-Response-Suppress': 'All',
  }
  return write(writer, mail, at, headers, [text])
}

export interface DeliveryReport {
  action: 'failed' | 'delayed'
  status: string
  diagnostic: string
}

/** RFC 3464, as the mail server sends it that could not deliver. */
export function writeDeliveryReport(
  recipient: string,
  mail: ReceivedMail,
  { action, status, diagnostic }: DeliveryReport,
  at: Date,
): Letter {
  const failed = action === 'failed'
  const what = failed ? 'could not be delivered' : 'has not been delivered yet; it is tried again'
  return writeReport(mail, at, {
    type: 'delivery-status',
    subject: failed ? 'Undelivered Mail Returned to Sender' : 'Delayed Mail (still being retried)',
    text: `Your mail to <${recipient}> ${what}.\r\n\r\n${diagnostic}`,
    fields: [
      'Reporting-MTA: dns; mx.sandbox.example',
      '',
      `Final-Recipient: rfc822; ${recipient}`,
      `Action: ${action}`,
      `Status: ${status}`,
      `Diagnostic-Code: smtp; ${diagnostic}`,
    ],
  })
}

/** RFC 5965: somebody pressed "this is spam". */
export const writeComplaint = (recipient: string, mail: ReceivedMail, at: Date): Letter =>
  writeReport(mail, at, {
    type: 'feedback-report',
    subject: 'Abuse report',
    text: 'One of our users does not want this mail.',
    fields: [
      'Feedback-Type: abuse',
      'User-Agent: Sandbox/1.0',
      'Version: 1',
      `Original-Rcpt-To: <${recipient}>`,
    ],
  })

function write(
  { email, name }: Writer,
  mail: ReceivedMail,
  at: Date,
  headers: Headers,
  lines: string[],
): Letter {
  const source = join(
    {
      From: `"${name}" <${email}>`,
      To: mail.from,
      ...headers,
      ...dated(at, email, mail),
      'In-Reply-To': mail.messageId,
      References: mail.messageId,
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Transfer-Encoding': '8bit',
    },
    lines,
  )
  return { from: email, to: mail.from, source }
}

function writeReport(
  mail: ReceivedMail,
  at: Date,
  report: { type: string; subject: string; text: string; fields: string[] },
): Letter {
  const postmaster = 'mailer-daemon@mx.sandbox.example'
  const headers = {
    From: `Mail Delivery System <${postmaster}>`,
    To: mail.from,
    Subject: report.subject,
    ...dated(at, postmaster, mail),
    'Auto-Submitted': 'auto-generated',
    'Content-Type': `multipart/report; report-type=${report.type}; boundary="part"`,
  }
  const part = (type: string, lines: string[]) => ['--part', `Content-Type: ${type}`, '', ...lines]
  const source = join(headers, [
    ...part('text/plain; charset=utf-8', [report.text]),
    ...part(`message/${report.type}`, [...report.fields, '']),
    ...part('text/rfc822-headers', [`Message-ID: ${mail.messageId}`, `From: ${mail.from}`, '']),
    '--part--',
  ])
  return { from: '', to: mail.from, source }
}

/** An answer has the same id whenever it is made anew of the same mail. */
const dated = (at: Date, sender: string, { messageId }: ReceivedMail): Headers => ({
  Date: at.toUTCString().replace('GMT', '+0000'),
  'Message-ID': `<answer.${at.getTime()}.${messageId.slice(1, 17)}@${sender.split('@')[1]}>`,
  'MIME-Version': '1.0',
})

const join = (headers: Headers, lines: string[]) =>
  Buffer.from(
    [...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), '', ...lines, ''].join(
      '\r\n',
    ),
  )

const withoutRe = (subject: string) => subject.replace(/^(Re: )+/, '')
