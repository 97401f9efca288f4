import { mkdir, readdir, rename, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Config } from '../../config.ts'
import type { ProcessDb } from '../../kernel/db/db.ts'
import { migrationNames } from '../../kernel/db/migrate.ts'
import { readMigrationGap } from '../../kernel/db/migration-gap.ts'
import { openClient } from '../../kernel/db/open-client.ts'
import { exists } from '../../kernel/files.ts'
import type { Log } from '../../kernel/log.ts'
import { clusterAt, giveToOwner } from '../../kernel/postgres/index.ts'
import { applyMigrations } from '../database.ts'
import { writeBackup } from './write-backup.ts'

/** Backups from before an update that are kept. */
const kept = 2
/** For what is written while the backup is made. */
const spareBytes = 256 * 1024 ** 2

interface Update {
  db: ProcessDb
  /** Of the same database, as a superuser. */
  url: string
  log: Log
  migrate?: typeof applyMigrations
  findFreeBytes?: (path: string) => Promise<number>
}

/**
 * Brings an embedded database to this version. A migration cannot be undone, so a database that has
 * some is backed up first, into DATA_DIR/backups. Of several at once, such as a service that starts
 * and a command beside it, the others wait for the first.
 *
 * @returns the names of the migrations that were applied
 * @throws when there is no room for the backup, with what to do
 */
export async function updateDatabase(config: Config, update: Update): Promise<string[]> {
  const client = await openClient(update.url, 'outrider update')
  try {
    const { rows } = await client.query('select pg_try_advisory_lock($1) as locked', [lockKey])
    if (!rows[0].locked) {
      update.log.warn({}, 'waiting for another process that updates the database')
      await client.query('select pg_advisory_lock($1)', [lockKey])
    }
    return await updateAlone(config, update)
  } finally {
    // The lock is the session's, so it ends here, or with the process.
    await client.end().catch(() => undefined)
  }
}

/** Of the whole update: migrations have one of their own. */
const lockKey = 7_166_822

async function updateAlone(config: Config, update: Update): Promise<string[]> {
  const { db, url, log, migrate = applyMigrations } = update
  const folder = join(config.dataDir, 'backups')
  const { missing } = await readMigrationGap(db)
  if (missing.length > 0 && missing.length < migrationNames().length) {
    await backUp(config, folder, update)
  }
  const applied = await migrate(url, log)
  if (await exists(folder)) await fileBackup(folder, log)
  return applied
}

/** Until the update is done: an update that is tried again has its backup already. */
const underWay = 'update-under-way.tar'

async function backUp(config: Config, folder: string, update: Update) {
  const { db, url, log, findFreeBytes = freeBytes } = update
  const file = join(folder, underWay)
  if (await exists(file)) return
  const cluster = clusterAt(config.dataDir)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await giveToOwner(cluster, folder)
  // One that was broken off takes the room that the next needs.
  await rm(`${file}.partial`, { force: true })
  const needed = (await databaseBytes(db)) + spareBytes
  const free = await findFreeBytes(folder)
  if (free < needed) throw new Error(noRoom(folder, needed, free))
  log.info({ file }, 'backing up the database before it is updated')
  const { bytes } = await writeBackup(config, url, file)
  await giveToOwner(cluster, file)
  log.info({ file, bytes }, 'backed up the database before it is updated')
}

/** Names it by its time, says so, and removes those that are older than the last ones. */
async function fileBackup(folder: string, log: Log) {
  const done = join(folder, underWay)
  await rm(`${done}.partial`, { force: true })
  if (!(await exists(done))) return
  const time = (await stat(done)).mtime.toISOString().replaceAll(':', '')
  const file = join(folder, `before-update-${time}.tar`)
  await rename(done, file)
  log.info({ file }, 'the database is updated; the way back is this backup')
  const names = (await readdir(folder)).filter((name) => /^before-update-.*\.tar$/.test(name))
  for (const name of names.sort().slice(0, -kept)) await rm(join(folder, name))
}

async function databaseBytes(db: ProcessDb): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select sum(pg_database_size(oid))::float8 as bytes from pg_database`.execute(db)
  return rows[0]?.bytes ?? 0
}

async function freeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path)
  return bavail * bsize
}

const mebibytes = (bytes: number) => `${Math.ceil(bytes / 1024 ** 2)} MiB`

const noRoom = (folder: string, needed: number, free: number) =>
  `There is no room in ${folder} for the backup that is made before the database is updated: it needs up to ${mebibytes(needed)}, and ${mebibytes(free)} are free. Make room; or make a backup elsewhere with "npx outrider backup create FILE" and then run "npx outrider migrate --no-backup".`
