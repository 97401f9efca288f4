import { isHere } from '../../kernel/db/here.ts'
import { preparedForAll } from '../../kernel/db/prepared.ts'

export interface MarkedCampaign {
  workspace_id: string
  campaign_id: string
  wake_at: Date
  changed: boolean
  /** Of the mark as it is now. */
  id: string
}

/** Campaigns whose mailboxes are to be woken: a runner does it for all workspaces. */
export const findMarkedCampaigns = preparedForAll<[], MarkedCampaign>(
  'find_campaign_marks',
  `/* cross-workspace: discovery */
   select workspace_id, campaign_id, wake_at, changed, id from woken_campaigns
   where ${isHere}`,
)
