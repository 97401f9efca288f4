// A runner looks for work in all workspaces: which ones have any is what it has to find out.
import { sql } from 'kysely'
import type { ProcessDb } from '../../kernel/db/db.ts'
import { isHere } from '../../kernel/db/here.ts'
import type { Claim } from './job-queries.ts'

/**
 * Takes one that is due. Workspaces take turns, however many people one of them erases, and so do the
 * erasures of one, however long it takes: first comes what has waited longest.
 */
export const claimErasure = async (db: ProcessDb, { claim, now, until }: Claim) => {
  const { rows } = await sql<{ workspace_id: string; id: string }>`
    /* cross-workspace: discovery */
    update erasures e
    set claim = ${claim}::uuid, due = ${until}::timestamptz
    from (
      select workspace_id, id from erasures waiting
      where state = 'running' and due <= ${now}::timestamptz and ${sql.raw(isHere)}
      order by (
          select max(o.timestamp_updated) from erasures o
          where o.workspace_id = waiting.workspace_id and o.claim is not null
        ) nulls first, due, id
      limit 1
      for update of waiting skip locked
    ) found
    where e.workspace_id = found.workspace_id and e.id = found.id
    returning e.workspace_id, e.id`.execute(db)
  return rows[0]
}
