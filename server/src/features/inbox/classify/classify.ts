import { type AutoReply, readAutoReply } from './auto-reply.ts'
import { type BounceReport, readBounce } from './bounce.ts'
import { type Complaint, readComplaint } from './complaint.ts'
import type { InboundMessage } from './message.ts'
import { isNotice } from './notice.ts'
import { asksToUnsubscribe } from './unsubscribe-wish.ts'

/** What a mail that came in is. */
export type Inbound =
  | ({ kind: 'bounce' } & BounceReport)
  | ({ kind: 'complaint' } & Complaint)
  | ({ kind: 'auto_reply' } & AutoReply)
  | { kind: 'reply'; asksToUnsubscribe: boolean }
  /** A server or a mail program says that a mail arrived: nothing follows from it. */
  | { kind: 'notice' }

/**
 * In this order, because a report is also marked as automatic, and an automatic reply is also an
 * answer.
 */
export function classify(message: InboundMessage, receivedAt: Date): Inbound {
  const complaint = readComplaint(message)
  if (complaint) return { kind: 'complaint', ...complaint }
  const bounce = readBounce(message)
  if (bounce) return { kind: 'bounce', ...bounce }
  if (isNotice(message)) return { kind: 'notice' }
  const autoReply = readAutoReply(message, receivedAt)
  if (autoReply) return { kind: 'auto_reply', ...autoReply }
  return { kind: 'reply', asksToUnsubscribe: asksToUnsubscribe(message.text) }
}
