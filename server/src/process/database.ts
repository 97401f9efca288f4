import type { Config } from '../config.ts'
import { connect, type Database, type ProcessDb } from '../kernel/db/db.ts'
import { isReadOnly, letsNobodyIn } from '../kernel/db/failure.ts'
import { readServerVersion } from '../kernel/db/instance.ts'
import { migrate, migrationNames, newerDatabase } from '../kernel/db/migrate.ts'
import { readMigrationGap } from '../kernel/db/migration-gap.ts'
import type { DatabaseTimeouts } from '../kernel/db/timeouts.ts'
import type { Log } from '../kernel/log.ts'
import { clusterAt, clusterExists, findRunning } from '../kernel/postgres/index.ts'

const postgresVersionMin = 15

/** The connections of one role of a process. */
export function connectDatabase(
  config: Config,
  url: string,
  timeouts: DatabaseTimeouts,
  connectionsMax = config.databaseConnectionsMax,
): Database {
  return connect(url, connectionsMax, {
    ...timeouts,
    isPooled: isPooled(config, url),
    directUrl: config.databaseDirectUrl,
  })
}

/** Whether sessions are shared on this way to the database. */
function isPooled({ databasePrepared, databaseDirectUrl }: Config, url: string): boolean {
  return databaseDirectUrl === undefined ? !databasePrepared : url !== databaseDirectUrl
}

/** @throws with what to do when nobody answers, the way in is refused, or the server is too old */
export async function checkDatabase(
  db: ProcessDb,
  url: string,
  variable: UrlVariable = 'DATABASE_URL',
): Promise<void> {
  const version = await readServerVersion(db).catch((error) => {
    throw new Error(explainRefusal(error, url, variable), { cause: error })
  })
  if (Math.floor(version / 10_000) >= postgresVersionMin) return
  throw new Error(
    `The database is a PostgreSQL ${Math.floor(version / 10_000)}: Outrider needs ${postgresVersionMin} or later.`,
  )
}

/**
 * Before a database of DATABASE_URL is made: whoever sets it for the first time means to go on with what
 * they have.
 *
 * @throws where it is empty, and DATA_DIR has a database
 */
export async function requireNothingLeft(
  db: ProcessDb,
  { dataDir, databaseUrl }: Config,
): Promise<void> {
  if (!(await clusterExists(clusterAt(dataDir)))) return
  const { missing } = await readMigrationGap(db)
  if (missing.length < migrationNames().length) return
  // It may lead to the very database of DATA_DIR, as the sandbox's does.
  if ((await findRunning(dataDir)) === databaseUrl) return
  throw new Error(
    `DATA_DIR ${dataDir} has a database, and that of DATABASE_URL is empty: bring the data over first (docs/operating.md, "From the embedded database to your own"), or set DATA_DIR to a new directory to begin anew.`,
  )
}

export async function applyMigrations(url: string, log: Log): Promise<string[]> {
  const applied = await migrate(url, () =>
    log.warn('a migration waits for a table that something else is using, such as a backup'),
  )
  if (applied.length > 0) log.info({ applied }, 'database migrated')
  return applied
}

export async function requireMigrations(db: ProcessDb): Promise<void> {
  const { missing, unknown } = await readMigrationGap(db)
  if (missing.length > 0)
    throw new Error(`The database is not migrated to this version: ${howToMigrate}.`)
  if (unknown.length > 0) throw new Error(newerDatabase(unknown))
}

/** Said of the first database; another shard has a way of its own. */
export const howToMigrate =
  'a server that has just been started does it itself in a while; else stop every process, run "npx outrider migrate", then this again, and start nothing before'

export type UrlVariable =
  | 'DATABASE_URL'
  | 'DATABASE_DIRECT_URL'
  | `DATABASE_SHARDS (${string})`
  | `DATABASE_DIRECT_SHARDS (${string})`

/** One sentence without the password. */
export function explainRefusal(error: unknown, url: string, variable: UrlVariable): string {
  const { code, message } = error as { code?: string; message?: string }
  const address = URL.parse(url)
  if (!address || code === 'ERR_INVALID_URL') {
    return `${variable} must be an address such as postgres://user:password@host:5432/database, with @, /, # and ? in a password as %40, %2F, %23 and %3F.`
  }
  const place = `The database at ${address.hostname || 'this machine'}:${address.port || 5432}`
  if (code === '28P01') {
    return `${place} refuses the user or the password: correct ${variable}.`
  }
  if (code === '3D000') {
    return `${place} has no database "${address.pathname.slice(1)}": create it, or correct ${variable}.`
  }
  if (letsNobodyIn(error)) {
    return `${place} refuses connections (${code}): let them in, or correct ${variable}.`
  }
  if (isReadOnly(error)) {
    return `${place} takes no changes, as a standby: let ${variable} lead to the primary.`
  }
  return `${place} does not answer (${code ?? message}): check that it runs, and ${variable}.`
}
