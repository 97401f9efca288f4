import type { Lead } from './schema.ts'

/** What becomes of a lead as it is sent to, answers, or is given a status. */
export interface LeadState
  extends Pick<
    Lead,
    | 'status'
    | 'sending_state'
    | 'stop_reason'
    | 'skip_reason'
    | 'current_step'
    | 'last_contacted_from'
    | 'email_open_count'
    | 'email_click_count'
    | 'email_reply_count'
    | 'timestamp_last_contact'
    | 'timestamp_last_open'
    | 'timestamp_last_reply'
    | 'timestamp_next_send'
  > {
  label_id: string | null
  timestamp_last_click: Date | null
  /** Nothing is sent before, whatever the delays say. */
  postponed_until: Date | null
  /** Whose thread it is in. */
  mailbox_id: string | null
  thread_subject: string | null
  /** In the order they were sent. */
  sent_step_ids: string[]
  /** Where the campaign stops for a company: the domain of the lead's. */
  company: string | null
}

/** A lead as it is read: its record, and what only rules look at. */
export interface StoredLead extends Lead, LeadState {
  email_folded: string
}

/** With what its campaign says of it. */
export interface LockedLead extends StoredLead {
  campaign_name: string
  stop_on_reply: boolean
  stop_on_auto_reply: boolean
  stop_for_company: boolean
}

/** Just what the API shows, in answers and in events. */
export function leadRecord(stored: StoredLead | LockedLead): Lead {
  const {
    campaign_name,
    stop_on_reply,
    stop_on_auto_reply,
    stop_for_company,
    email_folded,
    company,
    label_id,
    timestamp_last_click,
    postponed_until,
    mailbox_id,
    thread_subject,
    sent_step_ids,
    ...record
  } = stored as LockedLead
  return record
}
