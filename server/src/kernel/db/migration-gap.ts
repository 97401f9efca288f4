import { sql } from 'kysely'
import { codeOf } from '../errors.ts'
import type { AnyDb } from './db.ts'
import { migrationLock, migrationNames } from './migrate.ts'

/** How the database's migrations differ from this version's. */
export interface MigrationGap {
  /** Migrations of this version that are not applied yet. */
  missing: string[]
  /** Migrations that a newer version has applied. */
  unknown: string[]
}

export async function readMigrationGap(db: AnyDb): Promise<MigrationGap> {
  const applied = new Set(await appliedNames(db))
  const known = migrationNames()
  return {
    missing: known.filter((name) => !applied.has(name)),
    unknown: [...applied].filter((name) => !known.includes(name)),
  }
}

/** Undefined: by no clock that can be believed. */
export async function findTimeMigrated(db: AnyDb): Promise<Date | undefined> {
  const { rows } = await sql<{ time: Date | null }>`
    select max(timestamp_applied) as time from migrations
    where timestamp_applied <= outrider_now()`.execute(db)
  return rows[0]?.time ?? undefined
}

/** Until the transaction ends none begins. @returns false while one is under way, or is looked for */
export async function keepMigrationsAway(tx: AnyDb): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`/* installation: its schema */
    select pg_try_advisory_xact_lock_shared(${migrationLock}::bigint) as locked`.execute(tx)
  return rows[0]?.locked ?? false
}

/** Counts connections of processes that serve, and of commands, whose connections have these names, too. */
export async function countConnectionsOlderThan(db: AnyDb, ageMs: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and application_name in ('outrider', 'outrider listen')
      and pid <> pg_backend_pid() and backend_start < clock_timestamp() - ${ageMs}::float8 * interval '1 ms'`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

async function appliedNames(db: AnyDb): Promise<string[]> {
  try {
    const { rows } = await sql<{ name: string }>`
      select name from migrations order by name`.execute(db)
    return rows.map((row) => row.name)
  } catch (error) {
    if (codeOf(error) === undefinedTable) return []
    throw error
  }
}

const undefinedTable = '42P01'
