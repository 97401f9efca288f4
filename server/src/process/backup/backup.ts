import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Config } from '../../config.ts'
import type { Log } from '../../kernel/log.ts'
import { readMajorVersion } from '../../kernel/postgres/index.ts'
import { keyFile } from '../../kernel/secret-key.ts'
import { openDatabase } from '../open.ts'
import { type ArchiveSize, checkArchive, type Mark, readArchive, writeArchive } from './archive.ts'
import { copyRunning, exists } from './base-backup.ts'

export interface MadeBackup extends ArchiveSize {
  file: string
  /** Else the key is in OUTRIDER_SECRET_KEY only, and has to be kept beside the backup. */
  holds_secret_key: boolean
}

/**
 * A copy of the embedded database as it is at the end of the copying, and of secret.key, in one file
 * that was read back. The service may run.
 *
 * @throws with what to do
 */
export async function createBackup(config: Config, file: string, log: Log): Promise<MadeBackup> {
  if (config.databaseUrl) throw new Error(externalDatabase)
  if (await exists(file)) throw new Error(`${file} exists: give the backup another name.`)
  const { dataDir, version } = config
  await using database = await openDatabase(config, { log })
  const postgres = (await readFile(join(dataDir, 'postgres/data/PG_VERSION'), 'utf8')).trim()
  const timestamp = new Date().toISOString()
  const mark: Mark = { format: 1, outrider: version, postgres, timestamp }
  let holdsKey = false
  const size = await writeArchive(file, mark, async (archive) => {
    const putFile = async (name: string, path: string) => {
      const text = await readFile(path)
      await archive.file(name, text.length, [text])
    }
    holdsKey = await exists(keyFile(dataDir))
    if (holdsKey) await putFile('secret.key', keyFile(dataDir))
    await putFile('postgres/url', join(dataDir, 'postgres', 'url'))
    await archive.directory('postgres/data')
    await copyRunning(database.url, join(dataDir, 'postgres', 'data'), {
      directory: (path) => archive.directory(`postgres/data/${path}`),
      file: (path, length, chunks) => archive.file(`postgres/data/${path}`, length, chunks),
    })
  })
  return { file, holds_secret_key: holdsKey, ...size }
}

export interface RestoredBackup extends ArchiveSize {
  data_dir: string
  /** When it was made. */
  timestamp: string
}

/**
 * Puts a backup into a DATA_DIR that has nothing in it. The file is checked before anything is
 * written, and what is broken off leaves nothing that looks like a database.
 *
 * @throws with what to do
 */
export async function restoreBackup({ dataDir }: Config, file: string): Promise<RestoredBackup> {
  if ((await exists(dataDir)) && (await readdir(dataDir)).length > 0) {
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
  await mkdir(dataDir, { recursive: true, mode: 0o711 })
  const staging = join(dataDir, 'postgres.new-restored')
  const placeOf = (name: string) =>
    name === 'secret.key' ? keyFile(dataDir) : join(staging, name.replace(/^postgres\//, ''))
  try {
    await mkdir(staging, { mode: 0o711 })
    for await (const { name, isDirectory, chunks } of readArchive(file)) {
      if (name.split('/').includes('..')) throw new Error(`${file} cannot be used: ${name} in it.`)
      if (isDirectory) await mkdir(placeOf(name), { mode: 0o700 })
      else await writeWhole(placeOf(name), chunks())
    }
    await rename(staging, join(dataDir, 'postgres'))
    await syncDirectory(dataDir)
  } catch (error) {
    await rm(staging, { recursive: true, force: true })
    await rm(keyFile(dataDir), { force: true })
    throw error
  }
  return { data_dir: dataDir, timestamp: mark.timestamp, ...size }
}

async function writeWhole(path: string, chunks: AsyncIterable<Buffer>) {
  await using handle = await open(path, 'wx', 0o600)
  for await (const chunk of chunks) await handle.write(chunk)
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
