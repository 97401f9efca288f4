// A runner looks for work in all workspaces: which ones have any is what it has to find out.
import { sql } from 'kysely'
import type { ProcessDb } from '../../kernel/db/db.ts'
import { isHere } from '../../kernel/db/here.ts'

/**
 * Takes an import that nobody works on: whoever did has not been heard of since. Workspaces take turns,
 * so that nobody's short list waits for all the files of another: first comes the one that nothing was
 * imported for the longest.
 */
export const claimImport = async (
  db: ProcessDb,
  claim: string,
  now: Date,
  abandonedSince: Date,
) => {
  const { rows } = await sql<{ workspace_id: string; id: string }>`
    /* cross-workspace: discovery */
    update imports i
    set claim = ${claim}::uuid, timestamp_claimed = ${now}::timestamptz
    from (
      select workspace_id, id from imports waiting
      where state in ('checking', 'running')
        and (timestamp_claimed is null or timestamp_claimed < ${abandonedSince}::timestamptz)
        and ${sql.raw(isHere)}
      order by (
          select max(o.timestamp_claimed) from imports o where o.workspace_id = waiting.workspace_id
        ) nulls first, timestamp_claimed nulls first, id
      limit 1
      for update of waiting skip locked
    ) found
    where i.workspace_id = found.workspace_id and i.id = found.id
    returning i.workspace_id, i.id`.execute(db)
  return rows[0]
}
