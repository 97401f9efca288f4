import { sql } from 'kysely'
import type { Db } from '../../../kernel/db/db.ts'

/** A mail that came back for the moment. */
export interface SoftBounce {
  email_folded: string
  /** Id of the send. */
  send_id: string
  /** The server has given up; else it only says that the mail is late. */
  is_failed: boolean
}

export const noteSoftBounces = (db: Db, workspaceId: string, bounces: SoftBounce[], at: Date) =>
  sql`
    insert into soft_bounces as b
      (workspace_id, email_folded, send_id, is_failed, timestamp_created)
    select ${workspaceId}::uuid, k.email_folded, k.send_id, k.is_failed, ${at}::timestamptz
    from unnest(
      ${bounces.map((bounce) => bounce.email_folded)}::text[],
      ${bounces.map((bounce) => bounce.send_id)}::uuid[],
      ${bounces.map((bounce) => bounce.is_failed)}::boolean[]
    ) as k (email_folded, send_id, is_failed)
    order by k.email_folded, k.send_id
    on conflict (workspace_id, email_folded, send_id) do update
      set is_failed = b.is_failed or excluded.is_failed`.execute(db)

/** Addresses that can be reached have their soft bounces forgotten. */
export const forgetSoftBounces = (db: Db, workspaceId: string, foldedAddresses: string[]) =>
  sql`
    delete from soft_bounces
    where workspace_id = ${workspaceId}::uuid
      and email_folded = any(${foldedAddresses}::text[])`.execute(db)

/** A mail to an address, what came back of it, and when somebody there last saw one. */
export interface MailHistory {
  email_folded: string
  sent_at: Date
  report: 'failed' | 'late' | null
  seen_at: Date | null
}

/** Mails of all campaigns to these addresses, for each address the newest first. */
export async function findHistories(db: Db, workspaceId: string, foldedAddresses: string[]) {
  const { rows } = await sql<MailHistory>`
    select l.email_folded, coalesce(s.timestamp_transmitting, s.timestamp_claimed) as sent_at,
      case when b.is_failed then 'failed' when not b.is_failed then 'late' end as report,
      greatest(l.timestamp_last_open, l.timestamp_last_click, l.timestamp_last_reply) as seen_at
    from leads l
    join sends s
      on s.workspace_id = ${workspaceId}::uuid and s.lead_id = l.id
      and s.kind = 'step' and s.state in ('transmitting', 'sent', 'uncertain')
    left join soft_bounces b
      on b.workspace_id = ${workspaceId}::uuid and b.email_folded = l.email_folded
      and b.send_id = s.id
    where l.workspace_id = ${workspaceId}::uuid
      and l.email_folded = any(array(select unnest(${foldedAddresses}::text[])))
    order by l.email_folded, sent_at desc, s.id desc`.execute(db)
  return rows
}
