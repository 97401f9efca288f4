import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import type { ClaimedLead, ClaimRequest, EarlierSend, SendKey, SendState } from './ledger.ts'

// Claims of lanes of many workspaces share a transaction: every statement here joins workspace_id to
// its own unnest parameter, and says so in its first comment.

const column = <Row, Name extends keyof Row>(rows: Row[], name: Name): Row[Name][] =>
  rows.map((row) => row[name])

export interface Sendable extends ClaimedLead {
  /** Of the request, from 1. */
  position: number
  daily_limit: number | null
  daily_max_leads: number | null
  /** What the ledger has of this step. */
  state: SendState | null
  /** Of the attempt that it has. */
  attempt_id: string | null
  attempt: number | null
}

/**
 * The requests that nothing speaks against at this instant, whatever the plan was made from: the
 * lead is to be written to, and due; nobody suppressed it; campaign, mailbox and plan allow it.
 */
export async function findSendable(db: Db, requests: ClaimRequest[], now: Date) {
  const { rows } = await sql<Sendable>`
    /* settle */
    select k.position::int as position, l.id, l.email, l.first_name, l.last_name, l.company_name,
      l.company_domain, l.job_title, l.phone, l.website, l.personalization, l.custom_variables,
      l.thread_subject, c.daily_limit, c.daily_max_leads,
      s.state, s.id as attempt_id, s.attempt
    from unnest(
      ${column(requests, 'workspace_id')}::uuid[],
      ${column(requests, 'lead_id')}::uuid[],
      ${column(requests, 'step_id')}::uuid[],
      ${column(requests, 'campaign_id')}::uuid[],
      ${column(requests, 'mailbox_id')}::uuid[]
    ) with ordinality as k (workspace_id, lead_id, step_id, campaign_id, mailbox_id, position)
    join workspaces w on w.id = k.workspace_id and w.plan_api
    join campaigns c
      on c.workspace_id = k.workspace_id and c.id = k.campaign_id and c.status = 'active'
    join mailboxes m
      on m.workspace_id = k.workspace_id and m.id = k.mailbox_id and m.status = 'connected'
    join leads l
      on l.workspace_id = k.workspace_id and l.id = k.lead_id and l.campaign_id = k.campaign_id
      and l.sending_state in ('pending', 'active')
      and (l.mailbox_id is null or l.mailbox_id = k.mailbox_id)
      and l.timestamp_next_send <= ${now}::timestamptz
    left join sends s
      on s.workspace_id = k.workspace_id and s.lead_id = k.lead_id and s.step_id = k.step_id
    where not exists (
        select from suppressions x
        where x.workspace_id = k.workspace_id and x.kind = 'address' and x.value = l.email_folded)
      and not exists (
        select from suppressions x
        where x.workspace_id = k.workspace_id and x.kind = 'domain'
          and x.value = split_part(l.email_folded, '@', -1))
    order by k.position`.execute(db)
  return rows
}

/** What a day's row is counted for. */
export interface Day {
  workspace_id: string
  id: string
  day: string
}

export interface CountedDay extends Day {
  sent: number
}

export const ensureMailboxDays = (db: Db, days: Day[]) =>
  sql`
    /* settle */
    insert into mailbox_days (workspace_id, mailbox_id, day)
    select workspace_id, id, day
    from unnest(
      ${column(days, 'workspace_id')}::uuid[],
      ${column(days, 'id')}::uuid[],
      ${column(days, 'day')}::date[]
    ) as k (workspace_id, id, day)
    order by workspace_id, id, day
    on conflict (workspace_id, mailbox_id, day) do nothing`.execute(db)

export const ensureCampaignDays = (db: Db, days: Day[]) =>
  sql`
    /* settle */
    insert into campaign_days (workspace_id, campaign_id, day)
    select workspace_id, id, day
    from unnest(
      ${column(days, 'workspace_id')}::uuid[],
      ${column(days, 'id')}::uuid[],
      ${column(days, 'day')}::date[]
    ) as k (workspace_id, id, day)
    order by workspace_id, id, day
    on conflict (workspace_id, campaign_id, day) do nothing`.execute(db)

/** Nobody else reserves of these days until the transaction ends. */
export async function lockMailboxDays(db: Db, days: Day[]) {
  const { rows } = await sql<CountedDay>`
    /* settle */
    select d.workspace_id, d.mailbox_id as id, d.day, d.sent
    from mailbox_days d
    join unnest(
      ${column(days, 'workspace_id')}::uuid[],
      ${column(days, 'id')}::uuid[],
      ${column(days, 'day')}::date[]
    ) as k (workspace_id, id, day)
      on d.workspace_id = k.workspace_id and d.mailbox_id = k.id and d.day = k.day
    order by d.workspace_id, d.mailbox_id, d.day
    for update of d`.execute(db)
  return rows
}

export interface CountedCampaignDay extends CountedDay {
  new_leads: number
}

export async function lockCampaignDays(db: Db, days: Day[]) {
  const { rows } = await sql<CountedCampaignDay>`
    /* settle */
    select d.workspace_id, d.campaign_id as id, d.day, d.sent, d.new_leads
    from campaign_days d
    join unnest(
      ${column(days, 'workspace_id')}::uuid[],
      ${column(days, 'id')}::uuid[],
      ${column(days, 'day')}::date[]
    ) as k (workspace_id, id, day)
      on d.workspace_id = k.workspace_id and d.campaign_id = k.id and d.day = k.day
    order by d.workspace_id, d.campaign_id, d.day
    for update of d`.execute(db)
  return rows
}

/** Lanes that are still the token's, and stay so until the transaction ends. */
export async function holdLanes(
  db: Db,
  lanes: Pick<ClaimRequest, 'workspace_id' | 'mailbox_id' | 'token'>[],
) {
  const { rows } = await sql<{ mailbox_id: string }>`
    /* settle */
    select l.mailbox_id
    from mailbox_lanes l
    join unnest(
      ${column(lanes, 'workspace_id')}::uuid[],
      ${column(lanes, 'mailbox_id')}::uuid[],
      ${column(lanes, 'token')}::bigint[]
    ) as k (workspace_id, mailbox_id, token)
      on l.workspace_id = k.workspace_id and l.mailbox_id = k.mailbox_id and l.token = k.token
    order by l.workspace_id, l.mailbox_id
    for share of l`.execute(db)
  return new Set(rows.map((row) => row.mailbox_id))
}

const claimColumns = (claims: ClaimRequest[]) => sql`unnest(
      ${column(claims, 'workspace_id')}::uuid[],
      ${column(claims, 'lead_id')}::uuid[],
      ${column(claims, 'step_id')}::uuid[],
      ${column(claims, 'id')}::uuid[],
      ${column(claims, 'campaign_id')}::uuid[],
      ${column(claims, 'mailbox_id')}::uuid[],
      ${column(claims, 'step')}::integer[],
      ${column(claims, 'variant')}::integer[],
      ${column(claims, 'variant_id')}::uuid[],
      ${column(claims, 'message_id')}::text[],
      ${column(claims, 'token')}::bigint[],
      ${column(claims, 'is_new')}::boolean[],
      ${column(claims, 'campaign_day')}::date[],
      ${column(claims, 'mailbox_day')}::date[]
    ) as k (workspace_id, lead_id, step_id, id, campaign_id, mailbox_id, step, variant, variant_id,
      message_id, token, is_new, campaign_day, mailbox_day)`

/** The first attempt. Whoever was faster with the lead and step keeps it. */
export async function insertClaims(db: Db, claims: ClaimRequest[], now: Date) {
  if (claims.length === 0) return []
  const { rows } = await sql<{ id: string }>`
    /* settle */
    insert into sends (workspace_id, lead_id, step_id, id, campaign_id, mailbox_id, step, variant,
      variant_id, message_id, claim_token, is_new, campaign_day, mailbox_day, starts_thread, state,
      timestamp_claimed)
    select k.workspace_id, k.lead_id, k.step_id, k.id, k.campaign_id, k.mailbox_id, k.step,
      k.variant, k.variant_id, k.message_id, k.token, k.is_new, k.campaign_day, k.mailbox_day,
      true, 'claimed', ${now}::timestamptz
    from ${claimColumns(claims)}
    order by k.workspace_id, k.lead_id, k.step_id
    on conflict (workspace_id, lead_id, step_id) do nothing
    returning id`.execute(db)
  return rows.map((row) => row.id)
}

/** Another attempt, only where the last one certainly sent nothing. */
export async function retakeClaims(db: Db, claims: ClaimRequest[], now: Date) {
  if (claims.length === 0) return []
  const { rows } = await sql<{ id: string }>`
    /* settle */
    update sends s
    set id = k.id, campaign_id = k.campaign_id, mailbox_id = k.mailbox_id, step = k.step,
      variant = k.variant, variant_id = k.variant_id, message_id = k.message_id,
      claim_token = k.token, is_new = k.is_new, campaign_day = k.campaign_day,
      mailbox_day = k.mailbox_day, state = 'claimed', attempt = s.attempt + 1,
      error_stage = null, error_code = null, error_message = null,
      timestamp_claimed = ${now}::timestamptz, timestamp_transmitting = null,
      timestamp_settled = null
    from ${claimColumns(claims)}
    where s.workspace_id = k.workspace_id and s.lead_id = k.lead_id and s.step_id = k.step_id
      and s.state = 'failed'
    returning s.id`.execute(db)
  return rows.map((row) => row.id)
}

export const addToMailboxDays = (db: Db, days: CountedDay[]) =>
  sql`
    /* settle */
    update mailbox_days d
    set sent = d.sent + k.sent
    from unnest(
      ${column(days, 'workspace_id')}::uuid[],
      ${column(days, 'id')}::uuid[],
      ${column(days, 'day')}::date[],
      ${column(days, 'sent')}::integer[]
    ) as k (workspace_id, id, day, sent)
    where d.workspace_id = k.workspace_id and d.mailbox_id = k.id and d.day = k.day`.execute(db)

export const addToCampaignDays = (db: Db, days: CountedCampaignDay[]) =>
  sql`
    /* settle */
    update campaign_days d
    set sent = d.sent + k.sent, new_leads = d.new_leads + k.new_leads
    from unnest(
      ${column(days, 'workspace_id')}::uuid[],
      ${column(days, 'id')}::uuid[],
      ${column(days, 'day')}::date[],
      ${column(days, 'sent')}::integer[],
      ${column(days, 'new_leads')}::integer[]
    ) as k (workspace_id, id, day, sent, new_leads)
    where d.workspace_id = k.workspace_id and d.campaign_id = k.id and d.day = k.day`.execute(db)

export interface EarlierRow extends EarlierSend {
  lead_id: string
}

/** What these leads were sent before: the chain that a follow-up hangs on. */
export async function findEarlier(db: Db, claims: SendKey[]) {
  const { rows } = await sql<EarlierRow>`
    /* settle */
    select s.lead_id, s.step_id, coalesce(s.provider_message_id, s.message_id) as message_id,
      s.starts_thread
    from sends s
    join unnest(
      ${column(claims, 'workspace_id')}::uuid[],
      ${column(claims, 'lead_id')}::uuid[]
    ) as k (workspace_id, lead_id)
      on s.workspace_id = k.workspace_id and s.lead_id = k.lead_id
    where s.state in ('sent', 'uncertain')
    order by s.timestamp_transmitting, s.id`.execute(db)
  return rows
}
