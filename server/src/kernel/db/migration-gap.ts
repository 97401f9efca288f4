import { sql } from 'kysely'
import type { AnyDb } from './db.ts'
import { migrationNames } from './migrate.ts'

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

async function appliedNames(db: AnyDb): Promise<string[]> {
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
