// A runner looks for work in all workspaces: which ones have any is what it has to find out.
import { sql } from 'kysely'
import type { ProcessDb } from '../../kernel/db/db.ts'
import { isHere } from '../../kernel/db/here.ts'
import type { Claim } from './job-queries.ts'

/** Takes the one that waits for longest: the others have their turn, however long it takes. */
export const claimErasure = async (db: ProcessDb, { claim, now, until }: Claim) => {
  const { rows } = await sql<{ workspace_id: string; id: string }>`
    /* cross-workspace: discovery */
    update erasures e
    set claim = ${claim}::uuid, due = ${until}::timestamptz
    from (
      select workspace_id, id from erasures
      where state = 'running' and due <= ${now}::timestamptz and ${sql.raw(isHere)}
      order by due, id
      limit 1
      for update skip locked
    ) found
    where e.workspace_id = found.workspace_id and e.id = found.id
    returning e.workspace_id, e.id`.execute(db)
  return rows[0]
}
