import { type RawBuilder, sql } from 'kysely'
import { columnOf } from '../../kernel/db/column.ts'

/** What becomes of a campaign's mails: each is a column of `campaign_step_days`. */
export const stepOutcomes = [
  'sent',
  'opened',
  'clicked',
  'replied',
  'auto_replied',
  'bounced',
  'interested',
  'unsubscribed',
] as const
export type StepOutcome = (typeof stepOutcomes)[number]

/** What a campaign's counts are kept by. */
export interface StepPlace {
  /** In the zone of the campaign's first schedule. */
  day: string
  step: number
  /** Null: of the mail that the lead was sent at this step. */
  variant: number | null
}

export interface StepCount extends StepPlace {
  campaign_id: string
  lead_id: string
  outcome: StepOutcome
  by: 1 | -1
}

/**
 * Adds to the days of steps within a statement that changes the leads, so that it costs none of its
 * own: `with` this, then the other. Rows of a campaign are locked after its leads, in order.
 */
export const stepDaysCounted = (workspaceId: string, counts: StepCount[]): RawBuilder<unknown> =>
  sql`
    step_days_counted as (
      insert into campaign_step_days as d (workspace_id, campaign_id, day, step, variant, sent,
        opened, clicked, replied, auto_replied, bounced, interested, unsubscribed)
      select ${workspaceId}::uuid, k.campaign_id, k.day, k.step, k.variant, ${sumsOf('k')}
      from (
        select u.campaign_id, u.day, u.step, u.outcome, u.by, coalesce(u.variant, (
          select s.variant from sends s
          where s.workspace_id = ${workspaceId}::uuid and s.lead_id = u.lead_id
            and s.kind = 'step' and s.step = u.step
          order by s.timestamp_transmitting desc nulls last
          limit 1), 1) as variant
        from unnest(
          ${columnOf(counts, (count) => count.campaign_id)}::uuid[],
          ${columnOf(counts, (count) => count.lead_id)}::uuid[],
          ${columnOf(counts, (count) => count.day)}::date[],
          ${columnOf(counts, (count) => count.step)}::integer[],
          ${columnOf(counts, (count) => count.variant)}::integer[],
          ${columnOf(counts, (count) => count.outcome)}::text[],
          ${columnOf(counts, (count) => count.by)}::integer[]
        ) as u (campaign_id, lead_id, day, step, variant, outcome, by)
      ) k
      group by k.campaign_id, k.day, k.step, k.variant
      order by k.campaign_id, k.day, k.step, k.variant
      on conflict (workspace_id, campaign_id, day, step, variant) do update set
        ${sql.raw(stepOutcomes.map((name) => `${name} = d.${name} + excluded.${name}`).join(', '))}
    )`

const sumsOf = (alias: string) =>
  sql.raw(
    stepOutcomes
      .map((name) => `coalesce(sum(${alias}.by) filter (where ${alias}.outcome = '${name}'), 0)`)
      .join(', '),
  )
