import type { Command } from 'commander'
import { type Config, firstShardName, type ShardAddress } from '../config.ts'
import {
  listKeptSettings,
  outboundOf,
  toldMsMax,
  trackingUrlOf,
} from '../features/kept-settings/index.ts'
import { listLeaving } from '../features/moves/index.ts'
import {
  describeInSeveral,
  findInSeveral,
  listWorkspaces,
  sayWhichStays,
} from '../features/workspaces/index.ts'
import { setPreparedStatements } from '../kernel/db/client.ts'
import type { ProcessDb } from '../kernel/db/db.ts'
import { readDatabaseTime } from '../kernel/db/instance.ts'
import type { Pooler } from '../kernel/db/pooler.ts'
import { commandTimeouts } from '../kernel/db/timeouts.ts'
import { listRegistered, type RegisteredShard } from '../kernel/shards/queries.ts'
import { checkDatabase, connectDatabase } from '../process/database.ts'
import { openDatabase } from '../process/open.ts'
import { examinePooler } from '../process/pooler.ts'
import { type CommandSettings, readCommandSettings } from '../process/service-settings.ts'
import { requireFirst, requireRegistered, requireSameNames, sayOfShard } from '../process/shards.ts'
import { examineDatabase, type Said, type SaidByShard } from './doctor-database.ts'
import { examineMachine, outboundPolicy } from './doctor-machine.ts'
import { type Finding, fine, found, worstOf } from './finding.ts'
import { type OutputOptions, terminalLog, withOutput } from './operate.ts'
import { formatTable, print } from './terminal.ts'

export function doctorCommand(program: Command) {
  withOutput(program.command('doctor'))
    .description('Look for what is wrong and say what to do; exits with 1 when something fails')
    .action(async (options: OutputOptions) => {
      const checks = await examine()
      const status = worstOf(checks)
      print(options.json ? JSON.stringify({ status, checks }) : show(checks))
      if (status === 'fail') process.exitCode = 1
    })
}

async function examine(): Promise<Finding[]> {
  try {
    const settings = readCommandSettings()
    const { config } = settings
    return [judged(settings), ...(await examineMachine(config)), ...(await examineService(config))]
  } catch (error) {
    return [found('configuration', 'fail', (error as Error).message, 'Correct this variable.')]
  }
}

function judged({ startedAt, overridden }: CommandSettings): Finding {
  if (startedAt === undefined) return fine('settings', 'of this shell: no service has started here')
  const detail = `of the service that started at ${startedAt}`
  if (overridden.length === 0) return fine('settings', detail)
  const remedy =
    'Unset them here to judge the service by its own, or restart the service with them where it is to have them.'
  return found(
    'settings',
    'warn',
    `${detail}, but this shell has its own ${overridden.join(', ')}`,
    remedy,
  )
}

async function examineService(config: Config): Promise<Finding[]> {
  try {
    await using database = await openDatabase(config, { log: terminalLog() })
    setPreparedStatements(config.databasePrepared)
    const { db } = connectDatabase(config, database.url, commandTimeouts, 2)
    try {
      await checkDatabase(db, database.url, urlVariable(config))
      const pooler = config.databaseUrl ? [await pooling(config, config.databaseUrl)] : []
      const said = await askAll(config, db)
      const findings = [...pooler, ...(await examineDatabase(db, config, database.isOurs, said))]
      const keptSettings = database.isOurs ? new Map<string, string>() : await listTold(db)
      const outbound = outboundOf({ config, keptSettings }, config.outbound)
      const policy = outboundPolicy(
        { ...config, outbound },
        trackingUrlOf({ config, keptSettings: said.keptSettings }),
      )
      return [policy, ...findings, ...(await examineShards(config, db, said))]
    } finally {
      await db.destroy()
    }
  } catch (error) {
    const remedy = 'Without it nothing else can be checked.'
    return [outboundPolicy(config), found('database', 'fail', (error as Error).message, remedy)]
  }
}

/** What processes that run were told. Before the database is migrated it keeps nothing. */
async function listTold(db: ProcessDb): Promise<Map<string, string>> {
  const kept = await listKeptSettings(db).catch(() => [])
  if (kept.length === 0) return new Map()
  const staleMs = (await readDatabaseTime(db)).getTime() - toldMsMax
  const told = kept.filter(({ timestamp_told }) => timestamp_told.getTime() > staleMs)
  return new Map(told.map(({ name, value }) => [name, value]))
}

/** What each database says of workspaces. What is wrong with one that does not is said of it by itself. */
async function askAll(config: Config, first: ProcessDb): Promise<Said> {
  const { databaseShards } = config
  const others = databaseShards.map(({ name, url, directUrl }) => {
    const own = { ...config, databaseDirectUrl: directUrl }
    return { shard: name, db: connectDatabase(own, directUrl ?? url, commandTimeouts, 1).db }
  })
  try {
    const [named, ...answers] = await Promise.allSettled([
      listRegistered(first).then((registered) => requireSameNames(registered, databaseShards)),
      ...[{ shard: firstShardName, db: first }, ...others].map(async ({ shard, db }) => ({
        ...{ shard, workspaces: await listWorkspaces({ db }), leaving: await listLeaving(db) },
      })),
    ])
    // Before it is migrated it keeps none.
    const kept = await listKeptSettings(first).catch(() => [])
    const keptSettings = new Map(kept.map(({ name, value }) => [name, value]))
    const shards = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    const areAll = named.status === 'fulfilled' && shards.length === answers.length
    return { shards, areAll, keptSettings }
  } finally {
    await Promise.all(others.map(({ db }) => db.destroy()))
  }
}

/** Each as the first, and whether it is the one that is registered. */
async function examineShards(config: Config, first: ProcessDb, said: Said): Promise<Finding[]> {
  const registered = await listRegistered(first).catch(() => [])
  if (registered.length === 0 && config.databaseShards.length === 0) return []
  const named = await examineNames(config, first, registered)
  const each = await Promise.all(
    config.databaseShards.map(async (shard) =>
      (await examineShard(config, shard, registered, said)).map((finding) => ({
        ...finding,
        check: `${shard.name}: ${finding.check}`,
      })),
    ),
  )
  return [named, ...(said.areAll ? [examineInSeveral(said.shards)] : []), ...each.flat()]
}

function examineInSeveral(all: SaidByShard[]): Finding {
  const several = findInSeveral(all)
  if (several.length === 0) return fine('workspaces', 'each on one shard')
  return found('workspaces', 'fail', describeInSeveral(several), sayWhichStays)
}

async function examineNames(
  { databaseShards }: Config,
  first: ProcessDb,
  registered: RegisteredShard[],
): Promise<Finding> {
  try {
    await requireFirst(first, registered)
    requireSameNames(registered, databaseShards)
    return fine('shards', registered.map(({ name }) => name).join(', '))
  } catch (error) {
    const remedy = 'No process starts like this.'
    return found('shards', 'fail', (error as Error).message, remedy)
  }
}

async function examineShard(
  config: Config,
  { name, url, directUrl }: ShardAddress,
  registered: RegisteredShard[],
  said: Said,
): Promise<Finding[]> {
  const own = { ...config, databaseUrl: url, databaseDirectUrl: directUrl }
  const { db } = connectDatabase(own, directUrl ?? url, commandTimeouts, 2)
  try {
    await checkDatabase(db, directUrl ?? url, urlVariable(own))
    const { remedy, ...rest } = await pooling(own, url)
    const pooler = { ...rest, remedy: remedy && sayOfShard(name, remedy) }
    const findings = await examineDatabase(db, own, false, said)
    // Before it is migrated it has no name.
    if (findings.some(({ check, status }) => check === 'migrations' && status === 'fail')) {
      return [pooler, ...findings.map(remedied)]
    }
    await requireRegistered(db, name, registered)
    return [pooler, ...findings]
  } catch (error) {
    const remedy = 'Its workspaces are not served like this.'
    return [found('database', 'fail', sayOfShard(name, (error as Error).message), remedy)]
  } finally {
    await db.destroy()
  }
}

const remedied = (finding: Finding): Finding =>
  finding.check === 'migrations'
    ? { ...finding, remedy: 'Run "npx outrider migrate --shards".' }
    : finding

/** Of the address by which commands reach the first database. */
export const urlVariable = ({ databaseDirectUrl }: Config) =>
  databaseDirectUrl ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL'

async function pooling(config: Config, url: string): Promise<Finding> {
  const { pooler, trouble } = await examinePooler(config, url)
  if (trouble) return found('pooler', 'fail', modeOf(pooler), trouble)
  return fine('pooler', modeOf(pooler))
}

const modeOf = (pooler: Pooler | undefined) =>
  !pooler
    ? 'none'
    : `${pooler.mode} mode${pooler.keepsPrepared ? '' : ', without prepared statements'}`

const show = (checks: Finding[]) =>
  formatTable(
    ['status', 'check', 'finding', 'what to do'],
    checks.map(({ status, check, detail, remedy }) => [status, check, detail, remedy ?? ' ']),
  )
