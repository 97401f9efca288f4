import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { packageFile } from '../own-files.ts'
import { firstOf } from '../text.ts'
import { isDeadlock, isLockTimeout } from './failure.ts'
import { openClient } from './open-client.ts'

const folder = packageFile('migrations/')

/**
 * Whoever wants a table that a migration waits for has to wait behind it: so long, and no longer. One
 * that needs several takes them all first, before it works with any.
 */
const lockMs = 3_000
/** Until it is tried again, those who had to wait are served. */
const pauseMs = 2_000

/**
 * Applies what is missing, each file in its own transaction. Several processes may start at once:
 * each transaction begins with a lock and looks again what is missing. Forward only.
 *
 * @param onLocked hears, each time, that a table is in use by somebody who does not end, as a backup
 * @returns the names applied now
 * @throws when the database was migrated by a newer version than this one
 */
export async function migrate(
  url: string,
  onLocked: () => void = () => undefined,
): Promise<string[]> {
  const client = await openClient(url, 'outrider migrate')
  try {
    const applied: string[] = []
    for (;;) {
      try {
        const name = await applyNext(client)
        if (name === undefined) return applied
        applied.push(name)
      } catch (error) {
        // Those who run may take two tables in either order.
        if (!isLockTimeout(error) && !isDeadlock(error)) throw error
        onLocked()
        await wait(pauseMs)
      }
    }
  } finally {
    await client.end()
  }
}

/** @returns the name of the applied migration, undefined when none was missing */
async function applyNext(client: pg.Client): Promise<string | undefined> {
  // Nothing of the session's is used: behind PgBouncer each transaction may have another one, and a
  // lock of a session would outlive this process.
  // What workspaces that were moved away have left is migrated like everything else: it is fenced.
  await client.query(
    `begin; set local statement_timeout = 0; set local lock_timeout = 0; set local outrider.mover = 'on'`,
  )
  try {
    await client.query('select pg_advisory_xact_lock($1)', [migrationLock])
    await client.query(`set local lock_timeout = ${lockMs}`)
    await client.query(
      'create table if not exists migrations (name text primary key, timestamp_applied timestamptz not null)',
    )
    const applied = await appliedNames(client)
    refuseNewer(applied)
    const name = migrationNames().find((each) => !applied.includes(each))
    if (name !== undefined) {
      await client.query(readFileSync(new URL(name, folder), 'utf8'))
      await client.query('insert into migrations values ($1, statement_timestamp())', [name])
    }
    await client.query('commit')
    return name
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

function refuseNewer(applied: string[]) {
  const unknown = applied.filter((name) => !migrationNames().includes(name))
  if (unknown.length > 0) throw new Error(newerDatabase(unknown))
}

/** @param unknown migrations that this version does not know */
export const newerDatabase = (unknown: string[]) =>
  `The database is newer than this version (it has ${firstOf(unknown)}): update Outrider. The way back is a backup from before the update. Of its own database Outrider made one in DATA_DIR/backups: move DATA_DIR away and run "npx outrider backup restore FILE". Any other is put back from a backup of yours. What was done since is lost, because nothing else undoes a migration.`

/** The migrations of this version, in order. */
export const migrationNames = (): readonly string[] => {
  names ??= readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
  return names
}

let names: string[] | undefined

async function appliedNames(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>('select name from migrations')
  return rows.map((row) => row.name)
}

export const migrationLock = 7_166_821
