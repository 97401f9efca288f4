import { sql } from 'kysely'
import type { Db } from '../../../kernel/db/db.ts'
import type { CampaignSchedule } from '../../campaigns/index.ts'

export interface BounceSums {
  attempted: number
  bounced: number
}

export async function sumBounces(
  db: Db,
  workspaceId: string,
  campaignId: string,
  since: string,
): Promise<BounceSums[]> {
  const { rows } = await sql<BounceSums>`
    select sum(greatest(0, sent + refused - forgiven_sent))::int as attempted,
      sum(bounced - forgiven)::int as bounced
    from campaign_days
    where workspace_id = ${workspaceId}::uuid and campaign_id = ${campaignId}::uuid
      and day >= ${since}::date`.execute(db)
  return rows
}

/** Locks the schedules: whoever activates a campaign meanwhile waits, and then forgives what is counted here. */
export async function holdSchedules(db: Db, workspaceId: string, campaignIds: string[]) {
  const { rows } = await sql<{ id: string; campaign_schedule: CampaignSchedule }>`
    select id, campaign_schedule from campaigns
    where workspace_id = ${workspaceId}::uuid and id = any(${campaignIds}::uuid[])
    order by id
    for key share`.execute(db)
  return rows
}
