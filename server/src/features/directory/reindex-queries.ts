import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'

/** Stands in the table of imports: the migration to terms put it there, too. */
const fingerprint = 'reindex'

export async function isReindexDue(db: Db): Promise<boolean> {
  const { rows } = await sql`
    select from directory_imports where fingerprint = ${fingerprint} and not finished`.execute(db)
  return rows.length > 0
}

export async function beginReindex(db: Db, id: string, at: Date): Promise<void> {
  await sql`
    insert into directory_imports (id, fingerprint, progress, timestamp_created, timestamp_updated)
    values (${id}::uuid, ${fingerprint}, '{}', ${at}::timestamptz, ${at}::timestamptz)
    on conflict (fingerprint) where not finished do nothing`.execute(db)
}

export async function endReindex(db: Db, at: Date): Promise<void> {
  await sql`
    update directory_imports
    set finished = true, timestamp_updated = ${at}::timestamptz
    where fingerprint = ${fingerprint} and not finished`.execute(db)
}
