import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { exists } from '../../kernel/files.ts'
import { keyFile } from '../../kernel/secret-key.ts'
import { type ArchiveSize, type Mark, writeArchive } from './archive.ts'
import { copyRunning } from './base-backup.ts'

export interface MadeBackup extends ArchiveSize {
  file: string
  /** A backup that holds none was sealed by OUTRIDER_SECRET_KEY, which has to be kept beside it. */
  holds_secret_key: boolean
}

/**
 * A copy of the embedded database as it is at the end of the copying, and of secret.key, in one file
 * that was read back.
 *
 * @param url of the running server, as a superuser
 */
export async function writeBackup(config: Config, url: string, file: string): Promise<MadeBackup> {
  const { dataDir, version } = config
  const postgres = (await readFile(join(dataDir, 'postgres/data/PG_VERSION'), 'utf8')).trim()
  const timestamp = new Date().toISOString()
  const mark: Mark = { format: 1, outrider: version, postgres, timestamp }
  // Beside a key of the environment the file has what sealed before, if anything.
  let holdsKey = config.secretKey === undefined
  const size = await writeArchive(file, mark, async (archive) => {
    const putFile = async (name: string, path: string) => {
      const text = await readFile(path)
      await archive.file(name, text.length, [text])
    }
    const hasFile = await exists(keyFile(dataDir))
    holdsKey &&= hasFile
    if (hasFile) await putFile('secret.key', keyFile(dataDir))
    await putFile('postgres/url', join(dataDir, 'postgres', 'url'))
    await archive.directory('postgres/data')
    await copyRunning(url, join(dataDir, 'postgres', 'data'), {
      directory: (path) => archive.directory(`postgres/data/${path}`),
      file: (path, length, chunks) => archive.file(`postgres/data/${path}`, length, chunks),
    })
  })
  return { file, holds_secret_key: holdsKey, ...size }
}
