/** Every standard type (contract §3); custom labels add `lead.label.<label id>`. */
export const standardEventTypes = [
  'email.sent',
  'email.opened',
  'email.clicked',
  'email.bounced',
  'lead.replied',
  'lead.auto_replied',
  'lead.unsubscribed',
  'lead.interested',
  'lead.not_interested',
  'lead.neutral',
  'lead.meeting_booked',
  'lead.meeting_completed',
  'lead.closed',
  'lead.lost',
  'lead.out_of_office',
  'lead.wrong_person',
  'lead.no_show',
  'lead.completed',
  'campaign.activated',
  'campaign.paused',
  'campaign.completed',
  'mailbox.error',
  'contact.acquired',
] as const

/** A subscription to every type, custom labels included; no event is of this type. */
export const allEvents = 'all_events'

export type EventType = (typeof standardEventTypes)[number] | `lead.label.${string}`
