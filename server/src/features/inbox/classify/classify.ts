import { type AutoReply, readAutoReply } from './auto-reply.ts'
import { type BounceReport, readBounce, readBounceText } from './bounce.ts'
import { isBulk, isFromList } from './bulk.ts'
import { type Complaint, readComplaint } from './complaint.ts'
import { isAnswer, type ParsedMessage } from './message.ts'
import { reportType } from './report-type.ts'
import { readWish, type UnsubscribeWish } from './unsubscribe-wish.ts'

/** What a mail that came in is. */
export type Inbound =
  | ({ kind: 'bounce' } & BounceReport)
  | ({ kind: 'complaint' } & Complaint)
  | ({ kind: 'auto_reply' } & AutoReply)
  | { kind: 'reply'; wish: UnsubscribeWish | null }
  /** A report that a mail arrived or was opened, a newsletter: nothing follows from it. */
  | { kind: 'notice' }

/**
 * In this order, because a report is also marked as automatic, and an automatic reply is also an
 * answer.
 */
export function classify(message: ParsedMessage, receivedAt: Date): Inbound {
  const report = reportType(message)
  if (report === 'disposition-notification') return { kind: 'notice' }
  if (report === 'feedback-report') {
    const complaint = readComplaint(message)
    return complaint ? { kind: 'complaint', ...complaint } : { kind: 'notice' }
  }
  const bounce = (report && readBounce(message)) ?? readBounceText(message)
  if (bounce) return { kind: 'bounce', ...bounce }
  const isNew = !isAnswer(message)
  if (report || (isNew && isFromList(message))) return { kind: 'notice' }
  const autoReply = readAutoReply(message, receivedAt)
  if (autoReply) return { kind: 'auto_reply', ...autoReply }
  if (isNew && isBulk(message)) return { kind: 'notice' }
  return { kind: 'reply', wish: readWish(message) }
}
