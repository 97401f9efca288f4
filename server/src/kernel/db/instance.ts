import { sql } from 'kysely'
import type { Db } from './db.ts'
import { migrationNames } from './migrate.ts'

/** What must be the same for every process on this database. */
export interface Instance {
  id: string
  secret_key_id: string
}

export const findInstance = (db: Db): Promise<Instance | undefined> =>
  db.selectFrom('instance').select(['id', 'secret_key_id']).orderBy('id').executeTakeFirst()

/** Until the end of the transaction; several processes may start at once. */
export async function lockInstance(tx: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('outrider instance'))`.execute(tx)
}

export const insertInstance = (tx: Db, instance: Instance & { timestamp_created: Date }) =>
  tx.insertInto('instance').values(instance).execute()

/** From now on this key seals; the others still open what they sealed. */
export const updateSecretKeyId = (db: Db, secretKeyId: string) =>
  db.updateTable('instance').set({ secret_key_id: secretKeyId }).execute()

/** The server's version as a number: 150018 is 15.18. */
export async function readServerVersion(db: Db): Promise<number> {
  const { rows } = await sql<{ version: number }>`
    select current_setting('server_version_num')::int as version`.execute(db)
  return rows[0]?.version ?? 0
}

/** The clock that leases go by. */
export async function readDatabaseTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ time: Date }>`select outrider_now() as time`.execute(db)
  const [row] = rows
  if (!row) throw new Error('The database did not tell its time.')
  return row.time
}

/** How the database's migrations differ from this version's. */
export interface MigrationGap {
  /** Of this version, not applied yet. */
  missing: string[]
  /** Applied by a newer version. */
  unknown: string[]
}

export async function readMigrationGap(db: Db): Promise<MigrationGap> {
  const applied = new Set(await appliedNames(db))
  const known = migrationNames()
  return {
    missing: known.filter((name) => !applied.has(name)),
    unknown: [...applied].filter((name) => !known.includes(name)),
  }
}

async function appliedNames(db: Db): Promise<string[]> {
  try {
    const { rows } = await sql<{ name: string }>`
      select name from migrations order by name`.execute(db)
    return rows.map((row) => row.name)
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === undefinedTable) return []
    throw error
  }
}

const undefinedTable = '42P01'
