import { scanHtml } from '../../kernel/html/scan.ts'
import { htmlToText } from '../../kernel/html/text.ts'
import { storable } from '../../kernel/text.ts'
import type { ComposedMail, ComposeInput, MailThread } from './mail.ts'
import { mailAddress } from './mail-address.ts'
import { oneLine } from './mime/header-text.ts'
import { buildMessage } from './mime/message.ts'
import { subjectLine } from './subject.ts'
import { threadHeaders } from './thread-headers.ts'

interface ReplyInput extends Pick<ComposeInput, 'messageId' | 'at'> {
  mailbox: Pick<ComposeInput['mailbox'], 'address' | 'display_name'>
  to: string
  /** What is answered. */
  thread: MailThread
  /** A person wrote it: no template, and nothing is added to it. */
  body: { html: string } | { text: string }
}

/**
 * A person's mail in a thread.
 *
 * @throws MailRefused
 */
export function composeReply({ mailbox, messageId, thread, body, ...input }: ReplyInput) {
  const from = mailAddress(mailbox.address)
  const to = mailAddress(input.to)
  const { subject, threadSubject } = subjectLine('', thread)
  const html = 'html' in body ? storable(body.html) : null
  const text = 'text' in body ? storable(body.text) : htmlToText(html ?? '', scanHtml(html ?? ''))
  const bytes = buildMessage({
    ...{ messageId, at: input.at, subject, text, html },
    from: { name: oneLine(mailbox.display_name ?? ''), address: from.address },
    to: to.address,
    cc: [],
    ...threadHeaders(thread),
    unsubscribeUrl: null,
  })
  return {
    ...{ bytes, copy: null, subject, threadSubject, startsThread: false, text, html },
    sizeBytes: bytes.length,
    needsUtf8: from.needsUtf8 || to.needsUtf8,
    from: from.address,
    ...{ recipients: [to.address], cc: [] },
  } satisfies ComposedMail
}
