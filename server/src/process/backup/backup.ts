import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Config } from '../../config.ts'
import { codeOf } from '../../kernel/errors.ts'
import { exists, naming } from '../../kernel/files.ts'
import type { Log } from '../../kernel/log.ts'
import { findLowDisk } from '../../kernel/low-disk.ts'
import { readMajorVersion, restoringAt } from '../../kernel/postgres/index.ts'
import { keyFile } from '../../kernel/secret-key.ts'
import { openDatabase } from '../open.ts'
import { type ArchiveSize, checkArchive, readArchive } from './archive.ts'
import { type MadeBackup, writeBackup } from './write-backup.ts'

/**
 * A backup of the embedded database; the service may run.
 *
 * @throws with what to do
 */
export async function createBackup(config: Config, file: string, log: Log): Promise<MadeBackup> {
  if (config.databaseUrl) throw new Error(externalDatabase)
  if (await exists(file)) throw new Error(`${file} exists: give the backup another name.`)
  await using database = await openDatabase(config, { log })
  return await writeBackup(config, database.url, file).catch(async (error: unknown) => {
    throw await explainFailedCopy(error, config.dataDir)
  })
}

/** Of a checkpoint for which it has no room PostgreSQL says that it failed, and not why. */
export async function explainFailedCopy(error: unknown, dataDir: string): Promise<unknown> {
  const low = codeOf(error) === internalError && (await findLowDisk(dataDir))
  return low ? new Error(low, { cause: error }) : error
}

// PostgreSQL's errcode.
const internalError = 'XX000'

export interface RestoredBackup extends ArchiveSize {
  data_dir: string
  /** When it was begun: what came until it was through is in it, too. */
  timestamp: string
}

/**
 * Puts a backup into a DATA_DIR that has nothing in it. The file is checked before anything is
 * written, and what is broken off leaves nothing that looks like a database.
 *
 * @throws with what to do
 */
export async function restoreBackup(
  { dataDir, databaseUrl }: Config,
  file: string,
): Promise<RestoredBackup> {
  if (databaseUrl) throw new Error(usesAnother(dataDir))
  const staging = restoringAt(dataDir)
  const present = (await exists(dataDir)) ? await readdir(dataDir) : []
  const isBrokenOff = present.includes(basename(staging))
  if (present.length > 0 && !(isBrokenOff && present.every((name) => ownNames.has(name)))) {
    throw new Error(
      `DATA_DIR ${dataDir} is not empty: set DATA_DIR to a new directory, or move what is there away.`,
    )
  }
  const { mark, size } = await checkArchive(file)
  const major = await readMajorVersion()
  if (mark.postgres !== major) {
    throw new Error(
      `${file} cannot be used: it is of PostgreSQL ${mark.postgres}, and this Outrider has PostgreSQL ${major}. Restore it with Outrider ${mark.outrider}, which made it.`,
    )
  }
  if (isBrokenOff) await discard(dataDir)
  await mkdir(dataDir, { recursive: true, mode: 0o711 })
  const placeOf = (name: string) => join(staging, name.replace(/^postgres\//, ''))
  const stagedKey = placeOf('secret.key')
  try {
    await mkdir(staging, { mode: 0o711 })
    for await (const { name, isDirectory, chunks } of readArchive(file)) {
      if (name.split('/').includes('..')) throw new Error(`${file} cannot be used: ${name} in it.`)
      if (isDirectory) await mkdir(placeOf(name), { mode: 0o700 })
      else await writeWhole(placeOf(name), chunks()).catch(naming(placeOf(name)))
    }
    if (await exists(stagedKey)) await rename(stagedKey, keyFile(dataDir))
    await rename(staging, join(dataDir, 'postgres'))
    await syncDirectory(dataDir)
  } catch (error) {
    await discard(dataDir)
    throw error
  }
  return { data_dir: dataDir, timestamp: mark.timestamp, ...size }
}

/** What a restore that is broken off leaves: the directory goes last, because it tells so. */
const ownNames = new Set([basename(restoringAt('')), basename(keyFile(''))])

async function discard(dataDir: string) {
  await rm(keyFile(dataDir), { force: true })
  await rm(restoringAt(dataDir), { recursive: true, force: true })
}

async function writeWhole(path: string, chunks: AsyncIterable<Buffer>) {
  await using handle = await open(path, 'wx', 0o600)
  // All of each: a plain write may stop short at the end of a disk or a quota.
  for await (const chunk of chunks) await handle.writeFile(chunk)
  await handle.sync()
}

async function syncDirectory(path: string) {
  for (const directory of [path, dirname(path)]) {
    await using handle = await open(directory)
    await handle.sync()
  }
}

const externalDatabase =
  'DATABASE_URL is set: its database is backed up by pg_dump or by its provider. Keep the secret key with that backup (DATA_DIR/secret.key, or OUTRIDER_SECRET_KEY): without it no mailbox and no webhook secret in it can be opened.'

const usesAnother = (dataDir: string) =>
  `DATABASE_URL is set, and a start would use its database and not the backup: unset it wherever DATA_DIR is ${dataDir}.`
