import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'

/** Attempts from a day on, by UTC. Tests of a destination are among them. */
export async function countAttempts(db: Db, workspaceId: string, from: string) {
  const { rows } = await sql<{ succeeded: number; failed: number }>`
    select coalesce(sum(succeeded), 0)::float8 as succeeded,
      coalesce(sum(failed), 0)::float8 as failed
    from webhook_event_counts
    where workspace_id = ${workspaceId}::uuid and date >= ${from}::date`.execute(db)
  return rows[0] ?? { succeeded: 0, failed: 0 }
}

/** Of all workspaces on it together. */
export async function readDatabaseBytes(db: Db): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select pg_database_size(current_database())::float8 as bytes`.execute(db)
  return rows[0]?.bytes ?? 0
}
