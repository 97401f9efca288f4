import type {
  MailboxFacts,
  StoredFacts,
} from '../src/features/campaigns/sending-status/sending-facts.ts'

/** When the first lead of `storedFacts` is due. */
export const due = '2026-11-23T10:00:00+00:00'

/** A mailbox that may send, and has no follow-up to send. */
export const mailboxFacts = (more: Partial<MailboxFacts> = {}): MailboxFacts => ({
  ...{ connected: true, is_read: true, timezone: null, full_days: [], next: null },
  ...more,
})

/** What is known of an active campaign that nothing keeps from sending. */
export const storedFacts = (more: Partial<StoredFacts> = {}): StoredFacts => ({
  ...{ plan_api: true, held: false, is_moving: false, new_next: due, has_paused: false },
  ...{ days: null, mailboxes: [mailboxFacts()] },
  ...more,
})
