// Across workspaces: who runs the instance wants to know which of its mailboxes need a person.
import { sql } from 'kysely'
import type { ProcessDb } from '../../kernel/db/db.ts'
import { isHere } from '../../kernel/db/here.ts'
import { isInboxRead } from './read-before-follow-up.ts'

export const countMailboxes = async (
  db: ProcessDb,
): Promise<{ status: string; count: number }[]> => {
  const { rows } = await sql<{ status: string; count: number }>`/* cross-workspace: upkeep */
    select status, count(*)::int as count from mailboxes
    where ${sql.raw(isHere)}
    group by status order by status`.execute(db)
  return rows
}

/** Connected mailboxes with follow-ups that have waited to be sent until the mailbox is read. */
export const countUnreadMailboxes = async (db: ProcessDb): Promise<number> => {
  const { rows } = await sql<{ count: number }>`/* cross-workspace: upkeep */
    select count(*)::int as count from mailboxes m
    where m.${sql.raw(isHere)} and m.status = 'connected' and not ${sql.raw(isInboxRead('m'))}
      and exists (
        select from leads l
        where l.workspace_id = m.workspace_id and l.mailbox_id = m.id
          and l.sending_state = 'active' and l.timestamp_next_send <= outrider_now()
      )`.execute(db)
  return rows[0]?.count ?? 0
}

/** The domains that mail is sent from, the most used first. */
export const listMailDomains = async (db: ProcessDb, limit: number): Promise<string[]> => {
  const { rows } = await sql<{ domain: string }>`/* cross-workspace: upkeep */
    select split_part(address_folded, '@', 2) as domain
    from mailboxes where ${sql.raw(isHere)}
    group by 1 order by count(*) desc, 1 limit ${limit}`.execute(db)
  return rows.map(({ domain }) => domain)
}

/** Mailboxes that send through a server elsewhere. */
export const countRemoteSenders = async (db: ProcessDb): Promise<number> => {
  const { rows } = await sql<{ count: number }>`/* cross-workspace: upkeep */
    select count(*)::int as count from mailboxes
    where not sends_locally and ${sql.raw(isHere)}`.execute(db)
  return rows[0]?.count ?? 0
}
