import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import type { CampaignSchedule } from '../campaigns/index.ts'
import { column } from './columns.ts'

export interface BouncedDay {
  workspace_id: string
  campaign_id: string
  day: string
  bounced: number
  refused: number
}

/** Of campaigns of many workspaces, when they come from the settle writer. */
export const addBounces = (db: Db, days: BouncedDay[]) =>
  sql`
    /* settle */
    insert into campaign_days as d (workspace_id, campaign_id, day, bounced, refused)
    select k.workspace_id, k.campaign_id, k.day, k.bounced, k.refused
    from unnest(
      ${column(days, 'workspace_id')}::uuid[],
      ${column(days, 'campaign_id')}::uuid[],
      ${column(days, 'day')}::date[],
      ${column(days, 'bounced')}::integer[],
      ${column(days, 'refused')}::integer[]
    ) as k (workspace_id, campaign_id, day, bounced, refused)
    order by k.workspace_id, k.campaign_id, k.day
    on conflict (workspace_id, campaign_id, day) do update
      set bounced = d.bounced + excluded.bounced, refused = d.refused + excluded.refused`.execute(
    db,
  )

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
    select sum(sent + refused)::int as attempted, sum(bounced - forgiven)::int as bounced
    from campaign_days
    where workspace_id = ${workspaceId}::uuid and campaign_id = ${campaignId}::uuid
      and day >= ${since}::date`.execute(db)
  return rows
}

export async function findSchedules(db: Db, workspaceId: string, campaignIds: string[]) {
  const { rows } = await sql<{ id: string; campaign_schedule: CampaignSchedule }>`
    select id, campaign_schedule from campaigns
    where workspace_id = ${workspaceId}::uuid and id = any(${campaignIds}::uuid[])`.execute(db)
  return rows
}
