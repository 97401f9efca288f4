import { type Config, firstShardName } from '../config.ts'
import type { ProcessContext } from '../kernel/context.ts'
import { findPooler, identify, type Pooler } from '../kernel/db/pooler.ts'
import { explainRefusal, type UrlVariable } from './database.ts'
import { sayOfShard } from './shards.ts'

export interface PoolerVerdict {
  /** Between this process and the database of DATABASE_URL; undefined: nothing. */
  pooler: Pooler | undefined
  /** Why Outrider cannot work through it, and what to do. */
  trouble: string | undefined
}

/** What stands between this process and a database of the operator's. */
export async function examinePooler(config: Config, url: string): Promise<PoolerVerdict> {
  const pooler = await findPooler(url)
  return { pooler, trouble: troubleOf(config, pooler) ?? (await directTrouble(config, url)) }
}

/** @throws with what to do when Outrider cannot work through the pooler that DATABASE_URL leads to */
export async function requireUsablePooler(config: Config, url: string): Promise<void> {
  const { trouble } = await examinePooler(config, url)
  if (trouble) throw new Error(trouble)
}

/**
 * For what keeps something in its session, such as tables of its own or a lock.
 *
 * @throws with what to set where a pooler gives its sessions to others
 */
export async function requireSession({ config, shard = firstShardName }: ProcessContext) {
  const { databaseUrl, databaseDirectUrl } = config
  const way = databaseDirectUrl ?? databaseUrl
  const pooler = way === undefined ? undefined : await findPooler(way)
  if (!pooler || pooler.mode === 'session') return
  const sentence = databaseDirectUrl ? directIsPooled : needsSession
  throw new Error(shard === firstShardName ? sentence : sayOfShard(shard, sentence))
}

const needsSession =
  'DATABASE_URL leads to a pooler that gives each transaction another connection, and this command needs one of its own: set DATABASE_DIRECT_URL to the PostgreSQL behind it.'

const directIsPooled =
  'DATABASE_DIRECT_URL leads to a pooler, too: set it to the PostgreSQL behind that.'

function troubleOf(config: Config, pooler: Pooler | undefined): string | undefined {
  if (!pooler || pooler.mode === 'session') return undefined
  if (pooler.mode === 'statement') {
    return 'DATABASE_URL leads to a pooler that gives each statement another connection, which takes transactions apart: set its pool_mode to transaction.'
  }
  if (!config.databasePrepared) return undefined
  if (!pooler.keepsPrepared) {
    return 'DATABASE_URL leads to a pooler that keeps no prepared statements: set max_prepared_statements = 200 in PgBouncer 1.21 or later, or DATABASE_PREPARED=off here, which is slower.'
  }
  if (config.databaseDirectUrl) return undefined
  return 'DATABASE_URL leads to a pooler that gives each transaction another connection: set DATABASE_DIRECT_URL to the PostgreSQL behind it, which migrations and notifications need.'
}

async function directTrouble(config: Config, url: string): Promise<string | undefined> {
  const { databaseDirectUrl: direct } = config
  if (direct === undefined) return undefined
  const { pooler, name } = await look(direct, 'DATABASE_DIRECT_URL')
  if (pooler && pooler.mode !== 'session') {
    return directIsPooled
  }
  return name === (await identify(url)) ? undefined : differ
}

const differ =
  'DATABASE_URL and DATABASE_DIRECT_URL lead to different databases, as after a failover that moved one of them alone: both must lead to the same one, with the pooler and without.'

/**
 * For a command, which goes around the pooler: also while that does not answer.
 *
 * @throws with what to do where the service works on another server
 */
export async function requireSameServer({
  databaseUrl,
  databaseDirectUrl,
}: Pick<Config, 'databaseUrl' | 'databaseDirectUrl'>) {
  if (!databaseUrl || !databaseDirectUrl) return
  const name = await identify(databaseUrl).catch(() => undefined)
  if (name !== undefined && name !== (await identify(databaseDirectUrl))) throw new Error(differ)
}

/** @throws one sentence that names the variable */
async function look(url: string, variable: UrlVariable) {
  try {
    return { pooler: await findPooler(url), name: await identify(url) }
  } catch (error) {
    throw new Error(explainRefusal(error, url, variable), { cause: error })
  }
}
