import type { CampaignRow } from './queries.ts'
import type { Campaign } from './schema.ts'
import { sendingStatus } from './sending-status.ts'

/** The campaign as the API shows it at this moment. */
export function toRecord(row: CampaignRow, now: Date): Campaign {
  const { plan_api, mailbox_connected, ...shown } = row
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
    sending_status: sendingStatus(
      {
        status: row.status,
        status_reason: row.status_reason,
        campaign_schedule: row.campaign_schedule,
        leadsActive: active ?? 0,
        planAllows: plan_api ?? false,
        mailboxConnected: mailbox_connected,
      },
      now,
    ),
  }
}
