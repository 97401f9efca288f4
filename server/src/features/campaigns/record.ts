import type { CampaignRow } from './queries.ts'
import type { Campaign } from './schema.ts'
import { sendingStatus } from './sending-status.ts'

/** The campaign as the API shows it at this moment. */
export function toRecord(row: CampaignRow, now: Date): Campaign {
  const { sending_facts, former_senders, leads_waiting, ...shown } = row
  const { total, active, completed, replied, bounced, unsubscribed, ...campaign } = shown
  return {
    ...campaign,
    lead_counts: {
      total: total ?? 0,
      active: active ?? 0,
      completed: completed ?? 0,
      replied: replied ?? 0,
      bounced: bounced ?? 0,
      unsubscribed: unsubscribed ?? 0,
    },
    sending_status: sendingStatus({ ...row, leadsActive: active ?? 0 }, now),
  }
}
