import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import { type StepOutcome, type StepPlace, unknownId } from './step-days.ts'

type StepDay = StepPlace & Record<StepOutcome, number>

/** What the mails of a campaign came to on these days, the first and the last included. */
export async function listStepDays(
  db: Db,
  workspaceId: string,
  campaignId: string,
  from: string,
  to: string,
): Promise<StepDay[]> {
  const { rows } = await sql<StepDay>`
    select day, nullif(step_id, ${unknownId}::uuid) as step_id,
      nullif(variant_id, ${unknownId}::uuid) as variant_id, sent, opened, clicked, replied, auto_replied, bounced,
      interested, unsubscribed
    from campaign_step_days
    where workspace_id = ${workspaceId}::uuid and campaign_id = ${campaignId}::uuid
      and day between ${from}::date and ${to}::date
    order by day`.execute(db)
  return rows
}

/** Of a campaign since it began. */
export interface CampaignTotals {
  campaign_id: string
  /** Leads that got their first mail. */
  contacted: number
  replied: number
  auto_replied: number
  interested: number
}

/** Of these campaigns; of one that has sent nothing there is no row. */
export async function sumCampaigns(
  db: Db,
  workspaceId: string,
  ids: string[],
): Promise<CampaignTotals[]> {
  const { rows } = await sql<CampaignTotals>`
    select c.id as campaign_id, coalesce(d.contacted, 0)::int as contacted,
      coalesce(s.replied, 0)::int as replied,
      coalesce(s.auto_replied, 0)::int as auto_replied, coalesce(s.interested, 0)::int as interested
    from unnest(${ids}::uuid[]) as c (id)
    left join lateral (
      select sum(d.new_leads) as contacted from campaign_days d
      where d.workspace_id = ${workspaceId}::uuid and d.campaign_id = c.id
    ) d on true
    left join lateral (
      select sum(s.replied) as replied, sum(s.auto_replied) as auto_replied,
        sum(s.interested) as interested
      from campaign_step_days s
      where s.workspace_id = ${workspaceId}::uuid and s.campaign_id = c.id
    ) s on true`.execute(db)
  return rows
}

export type CountedOutcomes = { day: string } & Record<StepOutcome, number>

/** What all mails came to on these days, the first and the last included; of all campaigns or of one. */
export async function sumDays(
  db: Db,
  workspaceId: string,
  { from, to, campaignId }: { from: string; to: string; campaignId: string | null },
): Promise<CountedOutcomes[]> {
  const { rows } = await sql<CountedOutcomes>`
    select day, sum(sent)::int as sent, sum(opened)::int as opened, sum(clicked)::int as clicked,
      sum(replied)::int as replied, sum(auto_replied)::int as auto_replied,
      sum(bounced)::int as bounced, sum(interested)::int as interested,
      sum(unsubscribed)::int as unsubscribed
    from campaign_step_days
    where workspace_id = ${workspaceId}::uuid and day between ${from}::date and ${to}::date
      and (${campaignId}::uuid is null or campaign_id = ${campaignId}::uuid)
    group by day
    order by day`.execute(db)
  return rows
}
