import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import type { CampaignVersion } from './campaign-book.ts'
import type { CountedCampaignDay, CountedDay, Day } from './claim-queries.ts'

// Lanes of many workspaces look for their work together: workspace_id comes from a list. What is not
// due is not read, however much of it there is.

const column = <Row, Name extends keyof Row>(rows: Row[], name: Name): Row[Name][] =>
  rows.map((row) => row[name])

export interface ActiveCampaign extends CampaignVersion {
  email_list: string[]
}

export async function findActiveCampaigns(db: Db, workspaceIds: string[]) {
  const { rows } = await sql<ActiveCampaign>`
    /* settle */
    select c.workspace_id, c.id, c.email_list, c.timestamp_updated as version
    from campaigns c
    join unnest(${workspaceIds}::uuid[]) as k (workspace_id) on c.workspace_id = k.workspace_id
    where c.status = 'active'
    order by c.workspace_id, c.id`.execute(db)
  return rows
}

export interface Candidate {
  /** Of its source, from 1. */
  position: number
  id: string
  campaign_id: string
  sending_state: 'pending' | 'active'
  mailbox_id: string | null
  current_step: number
  timestamp_last_contact: Date | null
  timestamp_created: Date
  timestamp_next_send: Date
  suppressed: boolean
  sent_step_ids: string[]
  /** A mail to it is under way. */
  is_open: boolean
}

const candidate = sql`
  l.id, l.campaign_id, l.sending_state, l.mailbox_id, l.current_step, l.timestamp_last_contact,
  l.timestamp_created, l.timestamp_next_send,
  exists (
    select from suppressions x
    where x.workspace_id = k.workspace_id and x.kind = 'address' and x.value = l.email_folded
  ) or exists (
    select from suppressions x
    where x.workspace_id = k.workspace_id and x.kind = 'domain'
      and x.value = split_part(l.email_folded, '@', -1)
  ) as suppressed,
  l.sent_step_ids, exists (
    select from sends s
    where s.workspace_id = k.workspace_id and s.lead_id = l.id and s.is_open
  ) as is_open`

export interface FollowUpSource {
  workspace_id: string
  mailbox_id: string
  campaign_id: string
  /** At most so many. */
  limit: number
}

/** Leads in the mailbox's own threads whose next step is due, first due first. */
export async function findFollowUps(db: Db, sources: FollowUpSource[], now: Date) {
  if (sources.length === 0) return []
  const { rows } = await sql<Candidate>`
    /* settle */
    select k.position::int as position, ${candidate}
    from unnest(
      ${column(sources, 'workspace_id')}::uuid[],
      ${column(sources, 'mailbox_id')}::uuid[],
      ${column(sources, 'campaign_id')}::uuid[],
      ${column(sources, 'limit')}::integer[]
    ) with ordinality as k (workspace_id, mailbox_id, campaign_id, most, position)
    join lateral (
      select * from leads l
      where l.workspace_id = k.workspace_id and l.mailbox_id = k.mailbox_id
        and l.campaign_id = k.campaign_id and l.sending_state = 'active'
        and l.timestamp_next_send <= ${now}::timestamptz
      order by l.timestamp_next_send, l.id
      limit k.most
    ) l on true
    order by k.position, l.timestamp_next_send, l.id`.execute(db)
  return rows
}

export interface PendingSource {
  workspace_id: string
  campaign_id: string
  /** What was read already ends here. */
  after_due: Date
  after_id: string
  limit: number
}

/** Leads of the campaign that are due to be written to for the first time. */
export async function findPending(db: Db, sources: PendingSource[], now: Date) {
  if (sources.length === 0) return []
  const { rows } = await sql<Candidate>`
    /* settle */
    select k.position::int as position, ${candidate}
    from unnest(
      ${column(sources, 'workspace_id')}::uuid[],
      ${column(sources, 'campaign_id')}::uuid[],
      ${column(sources, 'after_due')}::timestamptz[],
      ${column(sources, 'after_id')}::uuid[],
      ${column(sources, 'limit')}::integer[]
    ) with ordinality as k (workspace_id, campaign_id, after_due, after_id, most, position)
    join lateral (
      select * from leads l
      where l.workspace_id = k.workspace_id and l.campaign_id = k.campaign_id
        and l.sending_state = 'pending'
        and (l.timestamp_next_send, l.id) > (k.after_due, k.after_id)
        and l.timestamp_next_send <= ${now}::timestamptz
      order by l.timestamp_next_send, l.id
      limit k.most
    ) l on true
    order by k.position, l.timestamp_next_send, l.id`.execute(db)
  return rows
}

export interface NextDue {
  position: number
  due_at: Date
}

/** When the first lead of each source falls due that is not due yet. */
export async function findNextDue(
  db: Db,
  sources: { workspace_id: string; mailbox_id: string; campaign_id: string }[],
  now: Date,
) {
  if (sources.length === 0) return []
  const { rows } = await sql<NextDue>`
    /* settle */
    select k.position::int as position, least(f.due_at, p.due_at) as due_at
    from unnest(
      ${column(sources, 'workspace_id')}::uuid[],
      ${column(sources, 'mailbox_id')}::uuid[],
      ${column(sources, 'campaign_id')}::uuid[]
    ) with ordinality as k (workspace_id, mailbox_id, campaign_id, position)
    left join lateral (
      select min(l.timestamp_next_send) as due_at from leads l
      where l.workspace_id = k.workspace_id and l.mailbox_id = k.mailbox_id
        and l.campaign_id = k.campaign_id and l.sending_state = 'active'
        and l.timestamp_next_send > ${now}::timestamptz
    ) f on true
    left join lateral (
      select min(l.timestamp_next_send) as due_at from leads l
      where l.workspace_id = k.workspace_id and l.campaign_id = k.campaign_id
        and l.sending_state = 'pending' and l.timestamp_next_send > ${now}::timestamptz
    ) p on true
    where least(f.due_at, p.due_at) is not null`.execute(db)
  return rows
}

export async function findCampaignDays(db: Db, days: Day[]) {
  const { rows } = await sql<CountedCampaignDay>`
    /* settle */
    select d.workspace_id, d.campaign_id as id, d.day, d.sent, d.new_leads
    from campaign_days d
    join unnest(
      ${column(days, 'workspace_id')}::uuid[],
      ${column(days, 'id')}::uuid[],
      ${column(days, 'day')}::date[]
    ) as k (workspace_id, id, day)
      on d.workspace_id = k.workspace_id and d.campaign_id = k.id and d.day = k.day`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}

export async function findMailboxDays(db: Db, days: Day[]) {
  const { rows } = await sql<CountedDay>`
    /* settle */
    select d.workspace_id, d.mailbox_id as id, d.day, d.sent
    from mailbox_days d
    join unnest(
      ${column(days, 'workspace_id')}::uuid[],
      ${column(days, 'id')}::uuid[],
      ${column(days, 'day')}::date[]
    ) as k (workspace_id, id, day)
      on d.workspace_id = k.workspace_id and d.mailbox_id = k.id and d.day = k.day`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}
