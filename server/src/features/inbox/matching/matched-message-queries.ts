import { sql } from 'kysely'
import type { Db } from '../../../kernel/db/db.ts'

export interface CorrespondentRow {
  id: string
  campaign_id: string
  email_folded: string
  /** Its address and names, and that of its company. */
  names: string
  stop_reason: string | null
  /** The mailbox that has the conversation, also one that was removed; null: no mail is recorded as sent. */
  mailbox_id: string | null
  /** Address of the mailbox that sent the last mail. */
  last_contacted_from: string | null
  /** Time zone of its campaign's first schedule. */
  timezone: string
  cc_list: string[]
  bcc_list: string[]
  /** A reply that is nothing but the wish for it unsubscribes by itself. */
  unsubscribe_by_reply: boolean
  /** Mails to its address came back for the moment. */
  has_soft_bounces: boolean
}

/** Leads that are still there, with what their campaigns say of their mails. */
export async function findCorrespondents(db: Db, workspaceId: string, leadIds: string[]) {
  const { rows } = await sql<CorrespondentRow>`
    select l.id, l.campaign_id, l.email_folded,
      concat_ws(' ', l.first_name, l.last_name, l.company_name, l.email) as names, l.stop_reason,
      l.mailbox_id, l.last_contacted_from,
      c.cc_list, c.bcc_list, c.campaign_schedule #>> '{schedules,0,timezone}' as timezone,
      w.unsubscribe_by_reply,
      exists (
        select from soft_bounces b
        where b.workspace_id = ${workspaceId}::uuid and b.email_folded = l.email_folded
      ) as has_soft_bounces
    from leads l
    join campaigns c on c.workspace_id = ${workspaceId}::uuid and c.id = l.campaign_id
    join workspaces w on w.id = ${workspaceId}::uuid
    where l.workspace_id = ${workspaceId}::uuid
      and l.id = any(array(select unnest(${leadIds}::uuid[])))
    order by l.id`.execute(db)
  return rows
}

/**
 * The leads that the word of somebody at one of these addresses concerns: all that are written to, or will
 * be, by whichever mailbox; of an address that has none of these, the one that was written to last.
 */
export async function findConcerned(db: Db, workspaceId: string, foldedAddresses: string[]) {
  const { rows } = await sql<{ lead_id: string; email_folded: string }>`
    select l.lead_id, l.email_folded
    from (
      select id as lead_id, email_folded,
        sending_state in ('pending', 'active', 'paused') as is_open,
        row_number() over (
          partition by email_folded
          order by sending_state in ('pending', 'active', 'paused') desc,
            timestamp_last_contact desc nulls last, id
        ) as place
      from leads
      where workspace_id = ${workspaceId}::uuid
        and email_folded = any(array(select unnest(${foldedAddresses}::text[])))
    ) l
    where l.is_open or l.place = 1
    order by l.email_folded, l.place`.execute(db)
  return rows
}

/** Which of these mails to leads a person wrote, as an answer. */
export async function findAnswers(db: Db, workspaceId: string, leadIds: string[], ids: string[]) {
  const { rows } = await sql<{ id: string }>`
    select id from sends
    where workspace_id = ${workspaceId}::uuid and kind = 'manual'
      and lead_id = any(array(select unnest(${leadIds}::uuid[])))
      and id = any(array(select unnest(${ids}::uuid[])))`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** A mail of a campaign that was sent, or is just being sent. */
export interface SentMail {
  id: string
  lead_id: string
  message_id: string
  subject: string | null
  step: number
  variant: number
  step_id: string
  variant_id: string
  /** Its address, if it is still there. */
  mailbox: string | null
  sent_at: Date
}

/** To these leads, oldest first. */
export async function findSentMails(db: Db, workspaceId: string, leadIds: string[]) {
  const { rows } = await sql<SentMail>`
    select s.id, s.lead_id, s.message_id, s.subject, s.step, s.variant, s.step_id, s.variant_id,
      m.address as mailbox,
      coalesce(s.timestamp_transmitting, s.timestamp_claimed) as sent_at
    from sends s
    left join mailboxes m on m.workspace_id = ${workspaceId}::uuid and m.id = s.mailbox_id
    where s.workspace_id = ${workspaceId}::uuid
      and s.lead_id = any(array(select unnest(${leadIds}::uuid[]))) and s.kind = 'step'
      and s.state <> 'failed'
    order by s.lead_id, sent_at, s.id`.execute(db)
  return rows
}
