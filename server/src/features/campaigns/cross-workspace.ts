import { isHere } from '../../kernel/db/here.ts'
import { preparedForAll } from '../../kernel/db/prepared.ts'
import { failedTemplate } from './sending-status/sending-facts.ts'
import type { RescheduleClaim } from './sequence/rescheduling.ts'

export interface CampaignToReschedule extends RescheduleClaim {
  /** Some lead is held back because its mail could not be made. */
  has_failed_templates: boolean
}

/** Campaigns of any workspace whose leads have to be rescheduled after a change, the oldest first. */
export const findCampaignsToReschedule = preparedForAll<
  [now: Date, max: number],
  CampaignToReschedule
>(
  'find_campaigns_to_reschedule',
  `/* cross-workspace: discovery */
   select workspace_id, id, leads_follow_due, exists (
     select from leads l
     where l.workspace_id = campaigns.workspace_id and l.campaign_id = campaigns.id
       and ${failedTemplate('l')}
   ) as has_failed_templates
   from campaigns
   where leads_follow_due <= $1 and ${isHere}
   order by leads_follow_due, workspace_id, id
   limit $2`,
)

/** Active campaigns of any workspace that give their leads no way to unsubscribe. */
export const countWithoutUnsubscribing = preparedForAll<[], { campaigns: number }>(
  'count_without_unsubscribing',
  `/* cross-workspace: upkeep */
   select count(*)::int as campaigns
   from campaigns
   where status = 'active' and not insert_unsubscribe_header
     and sequences::text not like '%unsubscribe_url%' and ${isHere}`,
)
