/** A mail of ours, as whoever got it has it. */
export interface ReceivedMail {
  messageId: string
  subject: string
  /** Address of our mailbox. */
  from: string
  to: string
}

/** What came back, with a Message-ID of its own. */
export interface Letter {
  messageId: string
  source: string
}

/** @param about the Message-IDs that it names; none: who answers so can only be told by the address */
export const reply = (id: string, mail: ReceivedMail, about: string[], text: string): Letter =>
  letter(id, mail, [
    `Subject: Re: ${mail.subject}`,
    ...references(about),
    'Content-Type: text/plain; charset=utf-8',
    '',
    text,
  ])

/** @param returnsOn the day that it tells, if it tells one */
export const absence = (id: string, mail: ReceivedMail, returnsOn: string | null): Letter =>
  letter(id, mail, [
    `Subject: Out of providers: ${mail.subject}`,
    ...references([mail.messageId]),
    'Auto-Submitted: auto-replied',
    'Content-Type: text/plain; charset=utf-8',
    '',
    returnsOn
      ? `I am out of the providers and will be back on ${returnsOn}.`
      : 'I am out of the providers.',
  ])

export const report = (id: string, mail: ReceivedMail, kind: 'hard' | 'soft'): Letter =>
  letter(id, { ...mail, to: 'mailer-daemon@mail.example' }, [
    'Subject: Undelivered Mail Returned to Sender',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="B"',
    '',
    '--B',
    'Content-Type: text/plain',
    '',
    'This is the mail system.',
    '--B',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mail.example',
    '',
    `Final-Recipient: rfc822; ${mail.to}`,
    'Action: failed',
    `Status: ${kind === 'hard' ? '5.1.1' : '4.2.2'}`,
    `Diagnostic-Code: smtp; ${kind === 'hard' ? '550 5.1.1 User unknown' : '452 4.2.2 Mailbox full'}`,
    '--B',
    'Content-Type: message/rfc822',
    '',
    ...original(mail),
    '--B--',
  ])

export const complaint = (id: string, mail: ReceivedMail): Letter =>
  letter(id, { ...mail, to: 'feedback@provider.example' }, [
    `Subject: FW: ${mail.subject}`,
    'Content-Type: multipart/report; report-type=feedback-report; boundary="B"',
    '',
    '--B',
    'Content-Type: text/plain',
    '',
    'This is an email abuse report.',
    '--B',
    'Content-Type: message/feedback-report',
    '',
    'Feedback-Type: abuse',
    `Original-Rcpt-To: <${mail.to}>`,
    '--B',
    'Content-Type: message/rfc822',
    '',
    ...original(mail),
    '--B--',
  ])

/** Of somebody to whom nobody of ours ever wrote. */
export const stranger = (id: string, mailbox: string): Letter =>
  letter(id, { messageId: '', subject: '', from: mailbox, to: `${id}@elsewhere.example` }, [
    'Subject: Our newsletter',
    'Content-Type: text/plain',
    '',
    'News.',
  ])

function letter(id: string, { from, to }: ReceivedMail, rest: string[]): Letter {
  const messageId = `<${id}@letters.example>`
  const head = [`From: ${to}`, `To: ${from}`, `Message-ID: ${messageId}`, 'MIME-Version: 1.0']
  return { messageId, source: [...head, ...rest, ''].join('\r\n') }
}

const references = (about: string[]) =>
  about.length === 0 ? [] : [`In-Reply-To: ${about.at(-1)}`, `References: ${about.join(' ')}`]

const original = ({ from, to, subject, messageId }: ReceivedMail) => [
  `From: ${from}`,
  `To: ${to}`,
  `Subject: ${subject}`,
  `Message-ID: ${messageId}`,
  '',
  'Hello.',
]
