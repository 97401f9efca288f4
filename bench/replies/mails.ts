export const mailbox = 'anna@bench.example'

export interface Contacted {
  email: string
  /** Of the mail that it was sent, with its angle brackets. */
  messageId: string
}

export const contactedLead = (index: number): Contacted => ({
  email: `lead${index}@company${index % 500}.example`,
  messageId: `<${index.toString(16).padStart(40, '0')}@bench.example>`,
})

/** What comes back: 70 of 100 are replies, 16 are out of office, 13 hard bounces, one is a complaint. */
export function incomingMail(index: number): Buffer {
  const kind = index % 100
  const lead = contactedLead(index)
  if (kind < 70) return reply(lead, index)
  if (kind < 86) return outOfOffice(lead, index)
  return kind < 99 ? bounce(lead, index) : complaint(lead, index)
}

const thought = 'We talked about it in the team, and it would fit well into the plans for spring. '

/** As Gmail writes it: text and HTML, with everything quoted below. */
function reply({ email, messageId }: Contacted, index: number): Buffer {
  const paragraphs = Array.from({ length: 1 + (index % 12) }, (_, n) => `${thought}(${n})`)
  const quoted = Array.from({ length: 20 }, () => `${thought}${thought}`)
  return mail(email, index, [
    'Subject: Re: Quick question',
    `In-Reply-To: ${messageId}`,
    `References: ${messageId}`,
    'Content-Type: multipart/alternative; boundary=alternative',
    '',
    '--alternative',
    'Content-Type: text/plain; charset=utf-8',
    '',
    ...paragraphs,
    '',
    `On Fri, Nov 20, 2026 at 9:37 AM Anna <${mailbox}> wrote:`,
    ...quoted.map((line) => `> ${line}`),
    '',
    '--alternative',
    'Content-Type: text/html; charset=utf-8',
    '',
    '<div dir="ltr">',
    ...paragraphs.map((line) => `<p style="margin:0">${line}</p>`),
    '</div><blockquote class="gmail_quote" style="margin:0 0 0 .8ex">',
    ...quoted.map((line) => `<p><font color="#333">${line}</font></p>`),
    '</blockquote>',
    '--alternative--',
  ])
}

const outOfOffice = ({ email, messageId }: Contacted, index: number) =>
  mail(email, index, [
    'Subject: Automatic reply: Quick question',
    `In-Reply-To: ${messageId}`,
    'Auto-Submitted: auto-replied',
    'Content-Type: text/plain; charset=utf-8',
    '',
    index % 2 === 0
      ? 'I am out of the office until 4 December and will answer when I am back.'
      : 'Vielen Dank. Ich bin bis zum 04.12. nicht im Büro.',
  ])

const bounce = ({ email, messageId }: Contacted, index: number) =>
  mail('MAILER-DAEMON@mx.example', index, [
    'Subject: Undelivered Mail Returned to Sender',
    'Auto-Submitted: auto-replied',
    'Content-Type: multipart/report; report-type=delivery-status; boundary=report',
    '',
    '--report',
    'Content-Type: text/plain; charset=us-ascii',
    '',
    'I am sorry to have to inform you that your message could not be delivered.',
    '',
    '--report',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example',
    '',
    `Final-Recipient: rfc822; ${email}`,
    'Action: failed',
    'Status: 5.1.1',
    `Diagnostic-Code: smtp; 550 5.1.1 <${email}>: Recipient address rejected: User unknown`,
    '',
    '--report',
    'Content-Type: message/rfc822',
    '',
    `From: ${mailbox}`,
    `To: ${email}`,
    'Subject: Quick question',
    `Message-ID: ${messageId}`,
    '',
    ...Array.from({ length: 20 }, () => `${thought}${thought}`),
    '--report--',
  ])

const complaint = ({ email, messageId }: Contacted, index: number) =>
  mail('feedback@provider.example', index, [
    'Subject: Abuse report',
    'Content-Type: multipart/report; report-type=feedback-report; boundary=report',
    '',
    '--report',
    'Content-Type: message/feedback-report',
    '',
    'Feedback-Type: abuse',
    `Original-Rcpt-To: ${email}`,
    '',
    '--report',
    'Content-Type: text/rfc822-headers',
    '',
    `Message-ID: ${messageId}`,
    '',
    '--report--',
  ])

const mail = (from: string, index: number, lines: string[]) =>
  Buffer.from(
    [
      `Message-ID: <in-${index}@receiver.example>`,
      `From: ${from}`,
      `To: ${mailbox}`,
      'Date: Fri, 20 Nov 2026 09:37:00 +0000',
      'MIME-Version: 1.0',
      ...lines,
      '',
    ].join('\r\n'),
  )
