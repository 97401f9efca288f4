import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import { actorName } from '../audit/index.ts'
import { fullDays, isFull } from '../campaigns/index.ts'
import { mayFollowUp } from '../mailboxes/index.ts'

/** Every campaign that an address is in, the newest first. */
export const listCampaignsOf = async (db: Db, workspaceId: string, folded: string) => {
  const { rows } = await sql<{
    lead_id: string
    campaign_id: string
    campaign_name: string
    status: string
    sending_state: string
    current_step: number
    timestamp_last_contact: Date | null
  }>`
    select l.id as lead_id, l.campaign_id, c.name as campaign_name, l.status, l.sending_state,
      l.current_step, l.timestamp_last_contact
    from leads l
    join campaigns c on c.workspace_id = ${workspaceId}::uuid and c.id = l.campaign_id
    where l.workspace_id = ${workspaceId}::uuid and l.email_folded = ${folded}
    order by l.id desc
    limit 100`.execute(db)
  return rows
}

/** When the first of these mailboxes may send again that send to the lead today; null: now, or none does. */
export const findTurn = async (
  db: Db,
  workspaceId: string,
  { isNew, mailbox_id }: { isNew: boolean; mailbox_id: string | null },
  addresses: string[],
  now: Date,
): Promise<Date | null> => {
  const { rows } = await sql<{ at: Date | null; timezone: string | null; full_days: string[] }>`
    select greatest(
      l.next_send_at,
      case when m.gap_seconds > 0 then l.last_sent_at + m.gap_seconds * interval '1 second' end
    ) as at, m.timezone, ${sql.raw(fullDays('m', 't.now'))} as full_days
    from (select ${now}::timestamptz as now) t
    cross join mailboxes m
    join mailbox_lanes l on l.workspace_id = ${workspaceId}::uuid and l.mailbox_id = m.id
    where m.workspace_id = ${workspaceId}::uuid and m.status = 'connected'
      and m.address = any(${addresses}::text[])
      and (${mailbox_id}::uuid is null or m.id = ${mailbox_id}::uuid)
      and (${isNew}::boolean or ${sql.raw(mayFollowUp('m'))})
    order by at nulls first`.execute(db)
  const at = rows.find((mailbox) => !isFull(mailbox, now))?.at ?? null
  return at && at > now ? at : null
}

/** How many of the first leads that a campaign holds back each reason has, by the index of such leads. */
export const countHeldBack = async (
  db: Db,
  workspaceId: string,
  campaignId: string,
  leadsMax: number,
) => {
  const { rows } = await sql<{ skip_reason: string; leads: number }>`
    select skip_reason, count(*)::int as leads
    from (
      select skip_reason from leads
      where workspace_id = ${workspaceId}::uuid and campaign_id = ${campaignId}::uuid
        and sending_state = 'paused' and skip_reason is not null
      order by id
      limit ${leadsMax}::integer
    ) as held
    group by skip_reason
    order by leads desc, skip_reason`.execute(db)
  return rows
}

export interface HistoryOf {
  workspaceId: string
  leadId: string
  campaignId: string
  /** As it was typed, which is how events name it. */
  email: string
  /** A lead has no history before it was there. */
  since: string
}

const beforeId = (before: string | undefined) =>
  before === undefined ? sql`` : sql`and id < ${before}::uuid`

export const listMessages = async (
  db: Db,
  { workspaceId, leadId }: HistoryOf,
  before: string | undefined,
  limit: number,
) => {
  const { rows } = await sql<{
    id: string
    name: string
    direction: 'in' | 'out'
    subject: string
    snippet: string
    from_address: string
    step: number | null
    timestamp: Date
  }>`
    select id, kind as name, direction, subject, snippet, from_address, step, timestamp
    from messages
    where workspace_id = ${workspaceId}::uuid and thread_id = ${leadId}::uuid ${beforeId(before)}
    order by id desc
    limit ${limit}::integer`.execute(db)
  return rows
}

/** What was told of the lead, but for mails, which are in the list themselves. */
export const listEvents = async (
  db: Db,
  { workspaceId, campaignId, email, since }: HistoryOf,
  before: string | undefined,
  limit: number,
) => {
  const { rows } = await sql<{ id: string; name: string }>`
    select id, type as name
    from events
    where workspace_id = ${workspaceId}::uuid and lead_email = ${email}
      and (campaign_id = ${campaignId}::uuid or campaign_id is null)
      and not test and id >= ${since}::uuid ${beforeId(before)}
    order by id desc
    limit ${limit}::integer`.execute(db)
  return rows
}

export const listDeliveries = async (
  db: Db,
  { workspaceId, campaignId, email, since }: HistoryOf,
  before: string | undefined,
  limit: number,
) => {
  const { rows } = await sql<{
    id: string
    name: string
    success: boolean
    status_code: number | null
    webhook_id: string
    event_id: string
    error_message: string | null
    will_retry: boolean
  }>`
    select id, event_type as name, success, status_code, webhook_id, event_id, error_message,
      will_retry
    from webhook_events
    where workspace_id = ${workspaceId}::uuid and lead_email = ${email}
      and (campaign_id = ${campaignId}::uuid or campaign_id is null)
      and id >= ${since}::uuid ${beforeId(before)}
    order by id desc
    limit ${limit}::integer`.execute(db)
  return rows
}

/**
 * Of the lead, and of jobs that have changed it with others: the stop of one changes nothing, and its undo
 * not everybody. Each subject is read apart, by its index.
 */
export const listChanges = async (
  db: Db,
  { workspaceId, leadId }: HistoryOf,
  before: string | undefined,
  limit: number,
) => {
  const { rows } = await sql<{
    id: string
    name: string
    actor_type: string
    actor_id: string | null
    actor_name: string | null
    details: Record<string, unknown>
  }>`
    select a.*
    from (
      select ${leadId}::uuid as subject_id, false as undone
      union all
      select job_id, undone from lead_job_changes
      where workspace_id = ${workspaceId}::uuid and lead_id = ${leadId}::uuid
    ) s
    cross join lateral (
      select id, action as name, actor_type, actor_id, ${actorName} as actor_name, details
      from audit_log
      where workspace_id = ${workspaceId}::uuid and subject_id = s.subject_id ${beforeId(before)}
        and action <> 'lead.many_stopped' and (action <> 'lead.many_undone' or s.undone)
      order by id desc
      limit ${limit}::integer
    ) a
    order by a.id desc
    limit ${limit}::integer`.execute(db)
  return rows
}
