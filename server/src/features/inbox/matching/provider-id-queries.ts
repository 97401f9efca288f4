import { sql } from 'kysely'
import type { Db } from '../../../kernel/db/db.ts'

export interface SentCopy {
  /** Folded. */
  recipient: string
  subject: string
  date: Date
}

/**
 * The mail of ours behind each copy: from this mailbox to the same person, with the same subject, and of
 * those the one whose time is nearest. A copy is of one mail: the steps of a thread have one subject, and
 * an earlier one may have never arrived. A mail's time is when its server had it, after the `Date` in its
 * head.
 */
export async function findSentTo(
  db: Db,
  workspaceId: string,
  mailboxId: string,
  copies: SentCopy[],
) {
  const { rows } = await sql<{
    position: number
    id: string
    lead_id: string | null
    campaign_id: string | null
  }>`
    select k.position::int as position, m.id, m.lead_id, m.campaign_id
    from unnest(
      ${copies.map((copy) => copy.recipient)}::text[],
      ${copies.map((copy) => copy.subject)}::text[],
      ${copies.map((copy) => copy.date)}::timestamptz[]
    ) with ordinality as k (recipient, subject, date, position)
    join lateral (
      select m.id, m.lead_id, m.campaign_id
      from leads l
      join messages m
        on m.workspace_id = ${workspaceId}::uuid and m.thread_id = l.id and m.direction = 'out'
        and m.mailbox_id = ${mailboxId}::uuid
      where l.workspace_id = ${workspaceId}::uuid and l.email_folded = k.recipient
        and m.subject = k.subject
        and m.timestamp between k.date - interval '1 minute' and k.date + interval '10 minutes'
      order by abs(extract(epoch from m.timestamp - k.date)), m.id desc
      limit 1
    ) m on true`.execute(db)
  return rows
}
