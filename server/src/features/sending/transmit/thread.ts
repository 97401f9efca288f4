import type { MailThread } from '../../messages/index.ts'
import type { Claim } from '../ledger.ts'

/** The thread that the lead's mails are in; null: nothing was sent yet. */
export function threadOf({ lead, earlier }: Pick<Claim, 'lead' | 'earlier'>): MailThread | null {
  const last = earlier.at(-1)
  if (!last) return null
  const begins = earlier.findLastIndex(({ starts_thread }) => starts_thread)
  return {
    in_reply_to: last.message_id,
    references: earlier.slice(Math.max(0, begins)).map(({ message_id }) => message_id),
    subject: lead.thread_subject ?? '',
  }
}
