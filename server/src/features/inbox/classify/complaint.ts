import { parseEmail } from '../../../kernel/email.ts'
import { idsIn, type ParsedMessage } from './message.ts'

/** Somebody pressed "this is spam" (ARF, RFC 5965). */
export interface Complaint {
  about: string[]
  /** Folded; null when the report keeps it to itself. */
  recipient: string | null
}

/**
 * RFC 5965 §7.3. `not-spam` is the opposite, and `auth-failure` (RFC 6591) is about who sends.
 */
const complaints = new Set(['abuse', 'fraud', 'virus', 'opt-out'])

export function readComplaint({ reports }: ParsedMessage): Complaint | undefined {
  const feedback = reports.find(({ type }) => type === 'message/feedback-report')
  const type = /^feedback-type:[ \t]{0,20}([\w-]{1,40})/im.exec(feedback?.content ?? '')?.[1]
  if (!feedback || !complaints.has(type?.toLowerCase() ?? '')) return undefined
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
