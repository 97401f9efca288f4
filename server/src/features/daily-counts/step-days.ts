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

/** A mail of a campaign, whatever its numbers are by now. Null: they were not kept, or it is gone. */
export interface StepMail {
  step_id: string | null
  variant_id: string | null
}

/** In the table, where the step or the variant is not known: a key has no nulls. */
export const unknownId = '00000000-0000-0000-0000-000000000000'

/** What a campaign's counts are kept by. */
export interface StepPlace extends StepMail {
  /** In the zone of the campaign's first schedule. */
  day: string
}

export interface StepCount extends StepPlace {
  campaign_id: string
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
      insert into campaign_step_days as d (workspace_id, campaign_id, day, step_id, variant_id,
        sent, opened, clicked, replied, auto_replied, bounced, interested, unsubscribed)
      select ${workspaceId}::uuid, k.campaign_id, k.day, k.step_id, k.variant_id, ${sumsOf('k')}
      from unnest(
        ${columnOf(counts, (count) => count.campaign_id)}::uuid[],
        ${columnOf(counts, (count) => count.day)}::date[],
        ${columnOf(counts, (count) => count.step_id ?? unknownId)}::uuid[],
        ${columnOf(counts, (count) => count.variant_id ?? unknownId)}::uuid[],
        ${columnOf(counts, (count) => count.outcome)}::text[],
        ${columnOf(counts, (count) => count.by)}::integer[]
      ) as k (campaign_id, day, step_id, variant_id, outcome, by)
      group by k.campaign_id, k.day, k.step_id, k.variant_id
      order by k.campaign_id, k.day, k.step_id, k.variant_id
      on conflict (workspace_id, campaign_id, day, step_id, variant_id) do update set
        ${sql.raw(stepOutcomes.map((name) => `${name} = d.${name} + excluded.${name}`).join(', '))}
    )`

const sumsOf = (alias: string) =>
  sql.raw(
    stepOutcomes
      .map((name) => `coalesce(sum(${alias}.by) filter (where ${alias}.outcome = '${name}'), 0)`)
      .join(', '),
  )
