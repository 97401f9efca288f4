import { isHere } from '../../kernel/db/here.ts'
import { preparedForAll } from '../../kernel/db/prepared.ts'
import type { FollowClaim } from './sequence/follow-steps.ts'

/** Campaigns of any workspace whose leads have to follow a change, the oldest first. */
export const findFollowing = preparedForAll<[now: Date, max: number], FollowClaim>(
  'find_following_campaigns',
  `/* cross-workspace: discovery */
   select workspace_id, id, leads_follow_due
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
