import { type Config, firstShardName, type ShardAddress } from '../config.ts'
import { copyOptOuts } from '../features/directory/index.ts'
import type { ProcessDb } from '../kernel/db/db.ts'
import { findInstance, getInstance, updateInstance } from '../kernel/db/instance.ts'
import { migrationNames } from '../kernel/db/migrate.ts'
import { readMigrationGap } from '../kernel/db/migration-gap.ts'
import { commandTimeouts } from '../kernel/db/timeouts.ts'
import { createIdGenerator } from '../kernel/ids.ts'
import type { Log } from '../kernel/log.ts'
import { keyIdsOf, openSecrets, readSecretKeys } from '../kernel/secret-key.ts'
import {
  hasWorkspaces,
  insertRegistered,
  listRegistered,
  type RegisteredShard,
} from '../kernel/shards/queries.ts'
import { applyMigrations, checkDatabase, connectDatabase } from './database.ts'
import { requireSameServer } from './pooler.ts'
import { isDown, requireFirst, requireNoneMissing, sayOfShard, wrongDatabase } from './shards.ts'

/** What was done to a shard. */
export interface PreparedShard {
  name: string
  applied: string[]
  /** The database was no shard before. */
  isNew: boolean
}

/**
 * Brings the further databases of DATABASE_SHARDS to this version, and notes on the first one which
 * they are. Who asked the first to be removed is refused by all. It may be run again, and after it
 * was interrupted. One that does not answer holds up none of the others: a process starts without it,
 * and not with one of an older version.
 *
 * @param first migrated; it gets an identity and a secret key here if it has none yet
 * @throws with what to do when one of them is not ours, or does not answer
 */
export async function prepareShards(
  config: Config,
  first: ProcessDb,
  log: Log,
): Promise<PreparedShard[]> {
  const site = { config, now: () => new Date(), newId: createIdGenerator(() => new Date()) }
  // The processes that serve decide which key seals, and a shard that is new begins with theirs.
  const { keyId } = await openSecrets(first, site, { serves: false })
  const keyIds = keyIdsOf((await readSecretKeys(config)) ?? [])
  await requireFirst(first, await listRegistered(first))
  requireNoneMissing(await listRegistered(first), config.databaseShards)
  await register(first, first, firstShardName)
  const silent: Silent[] = []
  const prepared: PreparedShard[] = []
  for (const address of config.databaseShards) {
    const { name, url, directUrl } = address
    const own = { ...config, databaseDirectUrl: directUrl }
    const { db } = connectDatabase(own, directUrl ?? url, commandTimeouts, 1)
    try {
      const error = await silenceOf(db, address)
      if (error) silent.push({ name, error })
      else prepared.push(await prepareOne(db, address))
    } catch (error) {
      const sentence = sayOfShard(name, (error as Error).message)
      const sentences = `${sentencesOf(silent)}The shard ${name}: ${sentence}`
      throw new Error(sentences, { cause: error })
    } finally {
      await db.destroy()
    }
  }
  if (silent.length > 0) throw notAll(silent, prepared)
  return prepared

  async function prepareOne(db: ProcessDb, { name, url, directUrl }: ShardAddress) {
    await requireSameServer({ databaseUrl: url, databaseDirectUrl: directUrl })
    const registered = await listRegistered(first)
    const isNew = !registered.some((shard) => shard.name === name)
    await requireOwn(db, name, { registered, keyIds })
    const applied = await applyMigrations(directUrl ?? url, log)
    await openSecrets(db, site, { serves: false, keyId })
    // Before anything can lie there; and after, for who opted out before all had to know of it.
    await copyOptOuts(first, db)
    await register(first, db, name)
    if (isNew) await copyOptOuts(first, db)
    return { name, applied, isNew }
  }
}

interface Silent {
  name: string
  error: Error
}

/** Why a shard does not answer. @throws what is no outage */
async function silenceOf(
  db: ProcessDb,
  { name, url, directUrl }: ShardAddress,
): Promise<Error | undefined> {
  const variable = directUrl ? 'DATABASE_DIRECT_SHARDS' : 'DATABASE_SHARDS'
  try {
    await checkDatabase(db, directUrl ?? url, `${variable} (${name})`)
  } catch (error) {
    if (!isDown(error)) throw error
    return error as Error
  }
}

const sentencesOf = (silent: Silent[]) => silent.map(({ error }) => `${error.message} `).join('')

function notAll(silent: Silent[], prepared: PreparedShard[]) {
  const done = [firstShardName, ...prepared.map(({ name }) => name)].join(', ')
  const left = silent.map(({ name }) => name).join(', ')
  return new Error(
    `${sentencesOf(silent)}Up to date: ${done}. Run the command again for ${left}.`,
    { cause: silent[0]?.error },
  )
}

/** Noted on the first one before, so that no database takes itself for a shard that nobody knows. */
async function register(first: ProcessDb, db: ProcessDb, name: string) {
  const instance = await getInstance(db)
  const timestamp_created = new Date()
  await insertRegistered(first, { name, instance_id: instance.id, timestamp_created })
  if (instance.shard !== name) await updateInstance(db, instance.id, { shard: name })
}

/**
 * A database of somebody else is left alone: it is not even migrated. One that calls itself by this name and
 * is sealed with our key is ours, also where the first was put back to a time before it was registered.
 */
async function requireOwn(
  db: ProcessDb,
  name: string,
  { registered, keyIds }: { registered: RegisteredShard[]; keyIds: string[] },
) {
  const { missing } = await readMigrationGap(db)
  const isEmpty = missing.length === migrationNames().length
  const instance = isEmpty ? undefined : await findInstance(db)
  const here = registered.find((shard) => shard.instance_id === instance?.id)
  const expected = registered.find((shard) => shard.name === name)
  if (here?.name === name) return
  if (here || expected) throw new Error(wrongDatabase(name, here?.name))
  if (instance?.shard === name && keyIds.includes(instance.secret_key_id)) return
  if (isEmpty || !(await hasWorkspaces(db))) return
  throw new Error(
    `The database that DATABASE_SHARDS names ${name} has workspaces of another installation: name an empty database.`,
  )
}
