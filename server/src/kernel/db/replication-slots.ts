import { sql } from 'kysely'
import type { AnyDb } from './db.ts'

/** A replication slot of this server, of whatever database, that nobody reads at present. */
export interface IdleReplicationSlot {
  name: string
  /** Of WAL, which is not removed until somebody reads it. */
  kept_bytes: number
}

/** Slots that nobody reads and that keep WAL, the most first. */
export async function listIdleReplicationSlots(db: AnyDb): Promise<IdleReplicationSlot[]> {
  const { rows } = await sql<IdleReplicationSlot>`
    select slot_name as name, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::float8 as kept_bytes
    from pg_replication_slots
    where not active and restart_lsn is not null
    order by kept_bytes desc`.execute(db)
  return rows
}
