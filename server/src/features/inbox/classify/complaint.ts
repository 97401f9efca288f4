import { parseEmail } from '../../../kernel/email.ts'
import { type InboundMessage, idsIn } from './message.ts'

/** Somebody pressed "this is spam" (ARF, RFC 5965). */
export interface Complaint {
  about: string[]
  /** Folded; null when the report keeps it to itself. */
  recipient: string | null
}

export function readComplaint({ reports }: InboundMessage): Complaint | undefined {
  const feedback = reports.find(({ type }) => type === 'message/feedback-report')
  if (!feedback) return undefined
  const recipient =
    /^original-rcpt-to:[ \t]{0,20}(?:rfc822;)?[ \t]{0,20}<?([^\s<>]{1,320})>?/im.exec(
      feedback.content,
    )?.[1]
  const original = reports
    .filter(({ type }) => type !== 'message/feedback-report')
    .map(({ content }) => content.replace(/\r?\n[ \t]+/g, ' '))
  const ids = original.flatMap((text) => /^message-id:(.*)$/im.exec(text)?.[1] ?? [])
  return { about: idsIn(ids), recipient: parseEmail(recipient ?? '')?.folded ?? null }
}
