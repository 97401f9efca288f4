import { sql } from 'kysely'
import type { Db } from '../../../kernel/db/db.ts'
import type { PlannedMailbox } from '../planning/planned.ts'
import type { Cohort } from './forecast-backlog.ts'

export interface ForecastMailbox
  extends Pick<
    PlannedMailbox,
    'id' | 'status' | 'timezone' | 'daily_limit' | 'gap_seconds' | 'next_send_at'
  > {
  address: string
  ramp_up_start: number | null
  ramp_up_step: number | null
  ramp_up_from: string | null
  /** Other active campaigns that send from it. */
  shared_with: number
}

export const findMailboxes = async (
  db: Db,
  workspaceId: string,
  campaignId: string,
  addresses: string[],
) => {
  const { rows } = await sql<ForecastMailbox>`
    select m.id, m.address, m.status, m.timezone, m.daily_limit, m.gap_seconds, m.ramp_up_start,
      m.ramp_up_step, m.ramp_up_from, l.next_send_at, (
        select count(*)::int from campaigns c
        where c.workspace_id = ${workspaceId}::uuid and c.status = 'active'
          and c.id <> ${campaignId}::uuid and m.address = any(c.email_list)
      ) as shared_with
    from mailboxes m
    left join mailbox_lanes l on l.workspace_id = m.workspace_id and l.mailbox_id = m.id
    where m.workspace_id = ${workspaceId}::uuid and m.address = any(${addresses}::text[])
    order by m.address, m.id`.execute(db)
  return rows
}

export interface SentDay {
  /** Null: of the campaign. */
  mailbox_id: string | null
  day: string
  sent: number
  new_leads: number
}

/** What was sent on the days that it can be today somewhere. */
export const findDays = async (
  db: Db,
  workspaceId: string,
  campaignId: string,
  mailboxIds: string[],
  now: Date,
) => {
  const today = sql`(${now}::timestamptz at time zone 'UTC')::date`
  const { rows } = await sql<SentDay>`
    select null::uuid as mailbox_id, day, sent, new_leads
    from campaign_days
    where workspace_id = ${workspaceId}::uuid and campaign_id = ${campaignId}::uuid
      and day between ${today} - 1 and ${today} + 1
    union all
    select mailbox_id, day, sent, 0
    from mailbox_days
    where workspace_id = ${workspaceId}::uuid and mailbox_id = any(${mailboxIds}::uuid[])
      and day between ${today} - 1 and ${today} + 1`.execute(db)
  return rows
}

/** A quarter of an hour is as good as an instant in a calendar of days. */
const dueIn = sql.raw(`interval '15 minutes'`)
const origin = sql.raw(`timestamptz '2000-01-01T00:00:00Z'`)

/** Counted in an index alone: those that nothing was sent to are alike but for their time. */
export const countPending = async (db: Db, workspaceId: string, campaignId: string, now: Date) => {
  const { rows } = await sql<{ due: Date; leads: number }>`
    select date_bin(${dueIn}, greatest(timestamp_next_send, ${now}::timestamptz), ${origin}) as due,
      count(*)::int as leads
    from leads
    where workspace_id = ${workspaceId}::uuid and campaign_id = ${campaignId}::uuid
      and sending_state = 'pending'
    group by 1`.execute(db)
  return rows
}

/** By mailbox, and removed ones have leads, too: the index begins with it. */
export const countActive = async (db: Db, workspaceId: string, campaignId: string) => {
  const { rows } = await sql<Omit<Cohort, 'sending_state'>>`
    select mailbox_id, sent_step_ids, max(current_step) as current_step,
      date_bin(${dueIn}, timestamp_next_send, ${origin}) as due, count(*)::int as leads
    from leads
    where workspace_id = ${workspaceId}::uuid and campaign_id = ${campaignId}::uuid
      and sending_state = 'active' and timestamp_next_send is not null
      and mailbox_id = any(array(
        select m.id from mailboxes m where m.workspace_id = ${workspaceId}::uuid
        union all
        select r.id from removed_mailboxes r where r.workspace_id = ${workspaceId}::uuid))
    group by mailbox_id, sent_step_ids, date_bin(${dueIn}, timestamp_next_send, ${origin})`.execute(
    db,
  )
  return rows
}

/**
 * Of those that are counted above, whom nobody may write to. Where the list has domains, every lead is read
 * once: a look into the list for each of a million would take longer than a statement may.
 */
export const countSuppressed = async (
  db: Db,
  workspaceId: string,
  campaignId: string,
  now: Date,
) => {
  const { rows } = await sql<Omit<Cohort, 'current_step'>>`
    select sending_state,
      case sending_state when 'active' then mailbox_id end as mailbox_id,
      case sending_state when 'active' then sent_step_ids else '{}' end as sent_step_ids,
      date_bin(${dueIn}, case sending_state
        when 'pending' then greatest(timestamp_next_send, ${now}::timestamptz)
        else timestamp_next_send
      end, ${origin}) as due,
      count(*)::int as leads
    from (
      select l.sending_state, l.mailbox_id, l.sent_step_ids, l.timestamp_next_send
      from (
        select distinct value from suppressions
        where workspace_id = ${workspaceId}::uuid and kind = 'address'
      ) x
      join leads l on l.workspace_id = ${workspaceId}::uuid and l.email_folded = x.value
        and l.campaign_id = ${campaignId}::uuid and l.sending_state in ('pending', 'active')
      union all
      select l.sending_state, l.mailbox_id, l.sent_step_ids, l.timestamp_next_send
      from (
        select distinct value from suppressions
        where workspace_id = ${workspaceId}::uuid and kind = 'domain'
      ) x
      join leads l on l.workspace_id = ${workspaceId}::uuid
        and split_part(l.email_folded, '@', -1) = x.value
        and l.campaign_id = ${campaignId}::uuid and l.sending_state in ('pending', 'active')
      where not exists (
        select from suppressions a
        where a.workspace_id = l.workspace_id and a.kind = 'address' and a.value = l.email_folded
      )
    ) l
    where sending_state = 'pending' or timestamp_next_send is not null
    group by 1, 2, 3, 4`.execute(db)
  return rows
}
