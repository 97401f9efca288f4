import type { Lead } from './schema.ts'

/** What a status change may set. */
export interface LeadState {
  status: string
  label_id: string | null
  sending_state: Lead['sending_state']
  stop_reason: Lead['stop_reason']
}

/** A lead as it is read: its record, and what only rules look at. */
export interface StoredLead extends Lead {
  email_folded: string
  label_id: string | null
  timestamp_last_click: Date | null
}

/** With what an event tells of its campaign. */
export interface LockedLead extends StoredLead {
  campaign_name: string
}

/** Just what the API shows, in answers and in events. */
export function leadRecord(stored: StoredLead): Lead {
  const { email_folded, label_id, timestamp_last_click, ...record } = stored
  return record
}
