import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import type { SendKey, SendState } from './ledger.ts'

// The sender's writers merge the results of lanes of many workspaces: every statement here joins
// workspace_id to its own unnest parameter, and says so in its first comment.

const column = <Row, Name extends keyof Row>(rows: Row[], name: Name): Row[Name][] =>
  rows.map((row) => row[name])

export interface Mark extends SendKey {
  id: string
  subject: string
  starts_thread: boolean
}

/**
 * The last look before the end of a message: whatever happened since the claim, a mail whose lead
 * replied, whose campaign was paused or whose claim is another's by now is not marked, and not sent.
 *
 * @returns ids of the attempts that may be finished; again, the same
 */
export async function markTransmitting(db: Db, marks: Mark[], now: Date) {
  const { rows } = await sql<{ id: string }>`
    /* settle */
    update sends s
    set state = 'transmitting', subject = k.subject, starts_thread = k.starts_thread,
      timestamp_transmitting = ${now}::timestamptz
    from unnest(
      ${column(marks, 'workspace_id')}::uuid[],
      ${column(marks, 'lead_id')}::uuid[],
      ${column(marks, 'step_id')}::uuid[],
      ${column(marks, 'id')}::uuid[],
      ${column(marks, 'subject')}::text[],
      ${column(marks, 'starts_thread')}::boolean[]
    ) as k (workspace_id, lead_id, step_id, id, subject, starts_thread)
    join workspaces w on w.id = k.workspace_id and w.plan_api
    join leads l
      on l.workspace_id = k.workspace_id and l.id = k.lead_id
      and l.sending_state in ('pending', 'active')
    join campaigns c
      on c.workspace_id = k.workspace_id and c.id = l.campaign_id and c.status = 'active'
    where s.workspace_id = k.workspace_id and s.lead_id = k.lead_id and s.step_id = k.step_id
      and s.id = k.id and s.state in ('claimed', 'transmitting')
      and exists (
        select from mailboxes m
        where m.workspace_id = k.workspace_id and m.id = s.mailbox_id and m.status = 'connected')
      and not exists (
        select from suppressions x
        where x.workspace_id = k.workspace_id and x.kind = 'address' and x.value = l.email_folded)
      and not exists (
        select from suppressions x
        where x.workspace_id = k.workspace_id and x.kind = 'domain'
          and x.value = split_part(l.email_folded, '@', -1))
    returning s.id`.execute(db)
  return new Set(rows.map((row) => row.id))
}

export interface LedgerRow extends SendKey {
  id: string
  campaign_id: string
  mailbox_id: string
  step: number
  variant: number
  message_id: string
  subject: string | null
  starts_thread: boolean
  state: SendState
  is_new: boolean
  campaign_day: string
  mailbox_day: string
  timestamp_transmitting: Date | null
}

/** The attempts as they stand; nobody else settles them until the transaction ends. */
export async function lockSends(db: Db, attempts: (SendKey & { id: string })[]) {
  const { rows } = await sql<LedgerRow>`
    /* settle */
    select s.workspace_id, s.lead_id, s.step_id, s.id, s.campaign_id, s.mailbox_id, s.step,
      s.variant, s.message_id, s.subject, s.starts_thread, s.state, s.is_new, s.campaign_day,
      s.mailbox_day, s.timestamp_transmitting
    from sends s
    join unnest(
      ${column(attempts, 'workspace_id')}::uuid[],
      ${column(attempts, 'lead_id')}::uuid[],
      ${column(attempts, 'step_id')}::uuid[],
      ${column(attempts, 'id')}::uuid[]
    ) as k (workspace_id, lead_id, step_id, id)
      on s.workspace_id = k.workspace_id and s.lead_id = k.lead_id and s.step_id = k.step_id
        and s.id = k.id
    order by s.workspace_id, s.lead_id, s.step_id
    for update of s`.execute(db)
  return rows
}

export interface SettledSend extends SendKey {
  state: SendState
  error_stage: string | null
  error_code: string | null
  error_message: string | null
}

export const updateSends = (db: Db, sends: SettledSend[], now: Date) =>
  sql`
    /* settle */
    update sends s
    set state = k.state, error_stage = k.error_stage, error_code = k.error_code,
      error_message = k.error_message, timestamp_settled = ${now}::timestamptz
    from unnest(
      ${column(sends, 'workspace_id')}::uuid[],
      ${column(sends, 'lead_id')}::uuid[],
      ${column(sends, 'step_id')}::uuid[],
      ${column(sends, 'state')}::text[],
      ${column(sends, 'error_stage')}::text[],
      ${column(sends, 'error_code')}::text[],
      ${column(sends, 'error_message')}::text[]
    ) as k (workspace_id, lead_id, step_id, state, error_stage, error_code, error_message)
    where s.workspace_id = k.workspace_id and s.lead_id = k.lead_id
      and s.step_id = k.step_id`.execute(db)

export interface PostponedLead {
  workspace_id: string
  lead_id: string
  until: Date
}

export const postponeLeads = (db: Db, leads: PostponedLead[], now: Date) =>
  sql`
    /* settle */
    update leads l
    set timestamp_next_send = k.until, timestamp_updated = ${now}::timestamptz
    from unnest(
      ${column(leads, 'workspace_id')}::uuid[],
      ${column(leads, 'lead_id')}::uuid[],
      ${column(leads, 'until')}::timestamptz[]
    ) as k (workspace_id, lead_id, until)
    where l.workspace_id = k.workspace_id and l.id = k.lead_id
      and l.sending_state in ('pending', 'active')`.execute(db)

export interface PacedLane {
  workspace_id: string
  mailbox_id: string
  last_sent_at: Date
  next_send_at: Date | null
}

/** What the mailbox's pace is counted from, and the end of whatever trouble it had. */
export const paceLanes = (db: Db, lanes: PacedLane[]) =>
  sql`
    /* settle */
    update mailbox_lanes l
    set last_sent_at = greatest(l.last_sent_at, k.last_sent_at),
      next_send_at = greatest(l.next_send_at, k.next_send_at), failures = 0, not_before = null
    from unnest(
      ${column(lanes, 'workspace_id')}::uuid[],
      ${column(lanes, 'mailbox_id')}::uuid[],
      ${column(lanes, 'last_sent_at')}::timestamptz[],
      ${column(lanes, 'next_send_at')}::timestamptz[]
    ) as k (workspace_id, mailbox_id, last_sent_at, next_send_at)
    where l.workspace_id = k.workspace_id and l.mailbox_id = k.mailbox_id`.execute(db)

/** The steps that each lead was sent, in that order. */
export async function findSentSteps(db: Db, leads: { workspace_id: string; lead_id: string }[]) {
  const { rows } = await sql<{ lead_id: string; step_ids: string[] }>`
    /* settle */
    select s.lead_id, array_agg(s.step_id order by s.timestamp_transmitting, s.id) as step_ids
    from sends s
    join unnest(
      ${column(leads, 'workspace_id')}::uuid[],
      ${column(leads, 'lead_id')}::uuid[]
    ) as k (workspace_id, lead_id)
      on s.workspace_id = k.workspace_id and s.lead_id = k.lead_id
    where s.state in ('transmitting', 'sent', 'uncertain')
    group by s.lead_id`.execute(db)
  return new Map(rows.map((row) => [row.lead_id, row.step_ids]))
}
