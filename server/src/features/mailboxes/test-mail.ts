import type { Context } from '../../kernel/context.ts'
import { parseEmail } from '../../kernel/email.ts'
import type { Envelope } from '../../kernel/mail/index.ts'

export interface TestMail {
  messageId: string
  envelope: Envelope
  source: Buffer
}

/** A mail of a mailbox to itself. */
export function composeTestMail(ctx: Context, address: string): TestMail {
  const domain = parseEmail(address)?.domain ?? 'localhost'
  const messageId = `<outrider-test.${ctx.newId()}@${domain}>`
  const source = Buffer.from(
    [
      `From: <${address}>`,
      `To: <${address}>`,
      'Subject: A test by Outrider',
      `Date: ${ctx.now().toUTCString().replace('GMT', '+0000')}`,
      `Message-ID: ${messageId}`,
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      'Auto-Submitted: auto-generated',
      '',
      'This mailbox can send, and this mail shows that it can receive. You may delete it.',
      '',
    ].join('\r\n'),
  )
  const utf8 = !/^[\x20-\x7e]*$/.test(address)
  return {
    messageId,
    envelope: { from: address, to: [address], sizeBytes: source.length, utf8 },
    source,
  }
}
