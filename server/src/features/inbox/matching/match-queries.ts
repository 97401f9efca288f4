import { sql } from 'kysely'
import type { Db } from '../../../kernel/db/db.ts'

/**
 * Whether the mailbox leads the thread of lead `l`, or a mail to them left it: after a hand-over, answers
 * come to either. So does one that a person said had not arrived, and that is sent again from another one.
 */
const takesPartIn = (workspaceId: string, mailboxId: string) => sql`(
  l.mailbox_id = ${mailboxId}::uuid or exists (
    select from sends s
    where s.workspace_id = ${workspaceId}::uuid and s.lead_id = l.id
      and (s.mailbox_id = ${mailboxId}::uuid and s.state in ('transmitting', 'sent', 'uncertain')
        or ${mailboxId}::uuid = any(s.doubted_mailbox_ids))
    offset 0
  ))`

/** When the first mail to lead `l` left, one that is doubted too; null: nobody knows. */
const firstSentAt = (workspaceId: string) => sql<Date | null>`(
    select min(coalesce(s.doubted_sent_at, s.timestamp_transmitting, s.timestamp_claimed))
    from sends s
    where s.workspace_id = ${workspaceId}::uuid and s.lead_id = l.id and s.kind = 'step'
      and (s.state <> 'failed' or s.doubted_sent_at is not null)
  )`

/** A lead that may have written a mail, because it was written to. */
interface Contacted {
  lead_id: string
  email_folded: string
  /** The last time. */
  contacted_at: Date
  first_sent_at: Date | null
}

export interface MailUnderWay extends Contacted {
  id: string
  message_id: string
  campaign_id: string
  state: string
}

/** Mails that the mailbox is sending: an answer may be faster than the record of its mail. */
export async function findUnderWay(db: Db, workspaceId: string, mailboxId: string) {
  const { rows } = await sql<MailUnderWay>`
    select s.id, s.lead_id, s.message_id, s.campaign_id, s.state, l.email_folded,
      s.timestamp_claimed as contacted_at, s.timestamp_claimed as first_sent_at
    from sends s
    join leads l on l.workspace_id = ${workspaceId}::uuid and l.id = s.lead_id
    where s.workspace_id = ${workspaceId}::uuid and s.mailbox_id = ${mailboxId}::uuid and s.is_open
    order by s.id`.execute(db)
  return rows
}

/** The leads of these addresses that this mailbox wrote to, those that were written to last first. */
export async function findContacted(
  db: Db,
  workspaceId: string,
  mailboxId: string,
  foldedAddresses: string[],
) {
  const { rows } = await sql<Contacted>`
    select l.id as lead_id, l.email_folded, c.contacted_at,
      ${firstSentAt(workspaceId)} as first_sent_at
    from leads l
    cross join lateral (
      select coalesce(l.timestamp_last_contact, (
        select max(s.doubted_sent_at) from sends s
        where s.workspace_id = ${workspaceId}::uuid and s.lead_id = l.id
      )) as contacted_at
    ) c
    where l.workspace_id = ${workspaceId}::uuid
      and l.email_folded = any(array(select unnest(${foldedAddresses}::text[])))
      and c.contacted_at is not null and ${takesPartIn(workspaceId, mailboxId)}
    order by c.contacted_at desc, l.id`.execute(db)
  return rows
}

export interface LeadAtCompany {
  id: string
  company: string
  thread_subject: string
  first_sent_at: Date | null
}

/** Leads in threads of the mailbox who were written to since then and still are, the latest first. */
export async function findAtCompanies(
  db: Db,
  workspaceId: string,
  mailboxId: string,
  companies: string[],
  since: Date,
) {
  const { rows } = await sql<LeadAtCompany>`
    select l.id, l.company, l.thread_subject, ${firstSentAt(workspaceId)} as first_sent_at
    from campaigns c
    join leads l
      on l.workspace_id = ${workspaceId}::uuid and l.campaign_id = c.id
      and l.company = any(array(select unnest(${companies}::text[])))
      and l.sending_state in ('pending', 'active', 'paused')
    where c.workspace_id = ${workspaceId}::uuid and c.stop_for_company
      and l.thread_subject is not null and l.timestamp_last_contact > ${since}::timestamptz
      and ${takesPartIn(workspaceId, mailboxId)}
    order by l.timestamp_last_contact desc, l.id`.execute(db)
  return rows
}
