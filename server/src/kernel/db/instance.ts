import { sql, type UpdateObject } from 'kysely'
import type { AnyDb } from './db.ts'
import type { DB } from './types.gen.ts'

/** What must be the same for every process on this database. */
export interface Instance {
  id: string
  secret_key_id: string
}

/**
 * `shard`: under which name it is one of several databases; null: it is the only one, was not registered, or
 * was left by an older version, which has no such column.
 */
export const findInstance = (
  db: AnyDb,
): Promise<(Instance & { shard: string | null }) | undefined> =>
  db
    .selectFrom('instance')
    .select(['id', 'secret_key_id', sql<string | null>`to_jsonb(instance) ->> 'shard'`.as('shard')])
    .orderBy('id')
    .executeTakeFirst()

/** @throws when nothing has ever served from this database */
export async function getInstance(db: AnyDb) {
  const instance = await findInstance(db)
  if (!instance) throw new Error('The database has no instance: start the server once.')
  return instance
}

/** Until the end of the transaction; several processes may start at once. */
export async function lockInstance(tx: AnyDb): Promise<void> {
  await sql`/* installation: which one it is */
    select pg_advisory_xact_lock(hashtext('outrider instance'))`.execute(tx)
}

export const insertInstance = (tx: AnyDb, instance: Instance & { timestamp_created: Date }) =>
  tx.insertInto('instance').values(instance).execute()

/** What a feature notes of the installation itself, such as a hold of sending. */
export const updateInstance = (db: AnyDb, id: string, changes: UpdateObject<DB, 'instance'>) =>
  db.updateTable('instance').set(changes).where('id', '=', id).execute()

/** From now on this key seals; the others still open what they sealed. */
export const updateSecretKeyId = (db: AnyDb, secretKeyId: string) =>
  db.updateTable('instance').set({ secret_key_id: secretKeyId }).execute()

/** The server's version as a number: 150018 is 15.18. */
export async function readServerVersion(db: AnyDb): Promise<number> {
  const { rows } = await sql<{ version: number }>`
    select current_setting('server_version_num')::int as version`.execute(db)
  return rows[0]?.version ?? 0
}

/** The clock that leases go by. */
export async function readDatabaseTime(db: AnyDb): Promise<Date> {
  const { rows } = await sql<{ time: Date }>`select outrider_now() as time`.execute(db)
  const [row] = rows
  if (!row) throw new Error('The database did not tell its time.')
  return row.time
}

/**
 * Keeps the latest time that was ever seen.
 *
 * @returns by how much the clock of the database is behind that: 0 or more
 */
export async function noteTimeSeen(db: AnyDb): Promise<number> {
  const behindMs = await readTimeBehind(db)
  if (behindMs === 0) {
    await db
      .updateTable('instance')
      .set({ timestamp_seen: sql`greatest(timestamp_seen, outrider_now())` })
      .execute()
  }
  return behindMs
}

/** By how many milliseconds the clock of the database is behind the latest time that was seen. */
export async function readTimeBehind(db: AnyDb): Promise<number> {
  const { rows } = await sql<{ behind_ms: number }>`
    select greatest(0, extract(epoch from timestamp_seen - outrider_now()) * 1000)::float8 as behind_ms
    from instance`.execute(db)
  return rows[0]?.behind_ms ?? 0
}
