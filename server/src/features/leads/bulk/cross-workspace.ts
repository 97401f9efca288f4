// A runner looks for work in all workspaces: which ones have any is what it has to find out.
import { sql } from 'kysely'
import type { ProcessDb } from '../../../kernel/db/db.ts'
import { isHere } from '../../../kernel/db/here.ts'

/**
 * Takes a job that nobody works on: nobody has taken it since its last batch, or whoever did has not been
 * heard of. Workspaces take turns, however many jobs one of them has, and so do the jobs of one: first
 * comes what has waited longest.
 */
export const claimJob = async (db: ProcessDb, claim: string, now: Date, abandonedSince: Date) => {
  const { rows } = await sql<{ workspace_id: string; id: string }>`
    /* cross-workspace: discovery */
    update lead_jobs j
    set claim = ${claim}::uuid, timestamp_claimed = ${now}::timestamptz
    from (
      select workspace_id, id from lead_jobs waiting
      where state = 'running'
        and (claim is null or timestamp_claimed < ${abandonedSince}::timestamptz)
        and ${sql.raw(isHere)}
      order by (
          select max(o.timestamp_claimed) from lead_jobs o where o.workspace_id = waiting.workspace_id
        ) nulls first, timestamp_claimed nulls first, id
      limit 1
      for update of waiting skip locked
    ) found
    where j.workspace_id = found.workspace_id and j.id = found.id
    returning j.workspace_id, j.id`.execute(db)
  return rows[0]
}
