import { randomBytes } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { createSecretBox, type SecretBox } from './crypto.ts'
import type { ProcessDb } from './db/db.ts'
import { findInstance, insertInstance, lockInstance, updateSecretKeyId } from './db/instance.ts'
import { ifMissing, replaceFile } from './files.ts'

interface KeyContext {
  config: Pick<Config, 'secretKey' | 'dataDir'>
  now: () => Date
  newId: () => string
}

/**
 * The keys of OUTRIDER_SECRET_KEY, else of DATA_DIR/secret.key, which the first start makes. The
 * database remembers which key seals, so that a process with another one is refused before it
 * stores what the others cannot open.
 *
 * @param options.serves else it seals with the key of the processes that serve, also where another
 * one is first here: a command must not decide which key they need
 * @param options.keyId which of the keys seals where the database remembers none yet; else the first
 * @throws with what to set, when none of the keys is that of the database
 */
export async function openSecrets(
  db: ProcessDb,
  { config, now, newId }: KeyContext,
  { serves = true, keyId }: { serves?: boolean; keyId?: string } = {},
): Promise<SecretBox> {
  return db.transaction().execute(async (tx) => {
    await lockInstance(tx)
    const instance = await findInstance(tx)
    const found = await readSecretKeys(config)
    if (instance && !found) throw new Error(lost(config.dataDir, instance.secret_key_id))
    const keys = found ?? [await createKeyFile(config.dataDir)]
    if (!instance) {
      const first = createSecretBox(keyId ? withFirst(keys, keyId) : keys)
      const secret_key_id = first.keyId
      await insertInstance(tx, { id: newId(), secret_key_id, timestamp_created: now() })
      return first
    }
    const secrets = createSecretBox(keys)
    if (!keyIdsOf(keys).includes(instance.secret_key_id)) {
      throw new Error(foreign(keyIdsOf(keys), instance.secret_key_id))
    }
    if (instance.secret_key_id === secrets.keyId) return secrets
    if (!serves) return createSecretBox(withFirst(keys, instance.secret_key_id))
    await updateSecretKeyId(tx, secrets.keyId)
    return secrets
  })
}

/** Newest first; undefined when none was ever made or given. */
export async function readSecretKeys({
  secretKey,
  dataDir,
}: KeyContext['config']): Promise<Buffer[] | undefined> {
  if (secretKey !== undefined) return parseKeys(secretKey, 'OUTRIDER_SECRET_KEY')
  const path = keyFile(dataDir)
  const text = await readFile(path, 'utf8').catch(ifMissing)
  return text === undefined ? undefined : parseKeys(text, path)
}

export const keyIdsOf = (keys: Buffer[]): string[] =>
  keys.map((key) => createSecretBox([key]).keyId)

const withFirst = (keys: Buffer[], keyId: string) =>
  keys.toSorted((a, b) => Number(isOf(b, keyId)) - Number(isOf(a, keyId)))

const isOf = (key: Buffer, keyId: string) => createSecretBox([key]).keyId === keyId

export const keyFile = (dataDir: string) => join(dataDir, 'secret.key')

function parseKeys(text: string, source: string): Buffer[] {
  return text.split(',').map((part) => {
    const key = Buffer.from(part.trim(), 'base64')
    if (/^[\w+/-]{43}=?$/.test(part.trim()) && key.length === 32) return key
    throw new Error(
      `${source} must be 32 bytes in base64, as from "openssl rand -base64 32" (several: newest first, separated by commas).`,
    )
  })
}

async function createKeyFile(dataDir: string): Promise<Buffer> {
  const key = randomBytes(32)
  await mkdir(dataDir, { recursive: true, mode: 0o711 })
  await replaceFile(keyFile(dataDir), `${key.toString('base64')}\n`)
  return key
}

const lost = (dataDir: string, keyId: string) =>
  `The database holds secrets sealed with key ${keyId}, and ${keyFile(dataDir)} is missing: restore that file, or set OUTRIDER_SECRET_KEY to the key that the other processes use.`

const foreign = (own: string[], keyId: string) =>
  `The database holds secrets sealed with key ${keyId}, but the key here is ${own.join(', ')}: set OUTRIDER_SECRET_KEY (or DATA_DIR) to that of the other processes.`
