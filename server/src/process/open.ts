import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Config, imapConnectionsOfEach, type ShardAddress } from '../config.ts'
import { readKept } from '../features/kept-settings/index.ts'
import { makeDefaultWorkspace } from '../features/workspaces/index.ts'
import { createClock } from '../kernel/clock.ts'
import { aroundPooler, type ProcessContext } from '../kernel/context.ts'
import { createContext } from '../kernel/create-context.ts'
import { setPreparedStatements } from '../kernel/db/client.ts'
import { connect, type ProcessDb } from '../kernel/db/db.ts'
import { isUnreachable } from '../kernel/db/failure.ts'
import { apiTimeouts, commandTimeouts, type DatabaseTimeouts } from '../kernel/db/timeouts.ts'
import { createIdGenerator } from '../kernel/ids.ts'
import { describeError, type Log } from '../kernel/log.ts'
import {
  type EmbeddedPostgres,
  StartFailure,
  startPostgres,
  waitForRunning,
} from '../kernel/postgres/index.ts'
import { markProcess } from '../kernel/runner/process-mark.ts'
import { openSecrets } from '../kernel/secret-key.ts'
import { Troubles } from '../kernel/troubles.ts'
import { ensurePartitions } from '../partitions.ts'
import { updateDatabase } from './backup/update-database.ts'
import {
  applyMigrations,
  checkDatabase,
  connectDatabase,
  howToMigrate,
  requireMigrations,
  requireNothingLeft,
} from './database.ts'
import { requireSameServer, requireUsablePooler } from './pooler.ts'
import { causesOf, openShards, sayOfShard } from './shards.ts'
import { withTimeout } from './shutdown.ts'
import { keepTime, setByDatabase } from './time.ts'

/** What a process stands on. Disposing ends everything in the reverse order of its making. */
export interface OpenProcess extends AsyncDisposable {
  ctx: ProcessContext
  /** Holds the password. */
  databaseUrl: string
  /** The way around a pooler, for what needs a session; without one the same. */
  directUrl: string
}

export interface OpenOptions {
  log: Log
  /** Ends an opening that is under way. */
  signal?: AbortSignal
}

/**
 * A process that serves, on the database of DATABASE_URL, else on one of its own in DATA_DIR:
 * migrated, with its clock set by the database.
 *
 * @param options.postgres one that its owner began to start, and stops
 * @param options.timeouts the API's when not given
 * @throws with what to do
 */
export async function openServer(
  config: Config,
  options: OpenOptions & {
    postgres?: Promise<EmbeddedPostgres> | undefined
    timeouts?: DatabaseTimeouts
  },
): Promise<OpenProcess> {
  await using stack = new AsyncDisposableStack()
  const { dataDir, databaseUrl } = config
  const { timeouts = apiTimeouts } = options
  const begun = await options.postgres
  const url =
    databaseUrl ?? begun?.url ?? stack.use(await startPostgres({ dataDir, ...options })).url
  const ownsDataDir = databaseUrl === undefined
  const opened = await openAgainIfLost(config, url, {
    ...{ ...options, timeouts, ownsDataDir },
    ...{ serves: true, migrations: 'apply' },
  })
  stack.use(opened)
  const owned = stack.move()
  return { ...opened, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** Our own PostgreSQL is started again when it dies; an opening that it took with it begins anew. */
async function openAgainIfLost(
  config: Config,
  url: string,
  options: OneOptions,
): Promise<OpenProcess> {
  const attempt = async () => {
    await using stack = new AsyncDisposableStack()
    return await open(stack, config, url, options)
  }
  for (let left = options.ownsDataDir ? openAgainMax : 0; ; left--) {
    try {
      return await attempt()
    } catch (error) {
      if (left === 0 || !causesOf(error).some(isUnreachable)) throw error
      options.log.warn(describeError(error), 'the database was lost at the start, opening it again')
    }
    await sleep(openAgainMs, undefined, { signal: options.signal })
  }
}

/** Together longer than PostgreSQL takes to be back after a crash. */
const openAgainMax = 20
const openAgainMs = 500

export interface LeavingOut {
  /** Works on the further shards that can be used, where one is of another version, or has another key. */
  leavesOutUnusable?: boolean
}

/**
 * A process that does one thing, beside the server or without it. It migrates nothing: a server may be using
 * the database, and nothing undoes a migration, which is what `migrate` and a start are asked for.
 *
 * @throws with what to do
 */
export async function openOperator(
  config: Config,
  options: OpenOptions & LeavingOut,
): Promise<OpenProcess> {
  await using stack = new AsyncDisposableStack()
  const database = stack.use(await openDatabase(config, options))
  const databaseConnectionsMax = Math.max(commandConnectionsMin, config.databaseConnectionsMax)
  const opened = await open(stack, { ...config, databaseConnectionsMax }, database.url, {
    ...options,
    ...{ serves: false, migrations: 'require' },
    timeouts: commandTimeouts,
    ownsDataDir: database.isOurs,
  })
  await readKept(opened.ctx)
  return opened
}

/** A move has three at once: one keeps its lock, one copies, and one reads the sums meanwhile. */
const commandConnectionsMin = 4

export interface OpenDatabase extends AsyncDisposable {
  /** Holds the password. */
  url: string
  /** Started here, and stopped when this is disposed of. */
  isOurs: boolean
}

/**
 * The database of DATABASE_URL, past its pooler if it has one, else that of the server that runs on DATA_DIR or is starting
 * there, else the one that lies there, started for as long as needed; with `create` it is made.
 *
 * @throws with what to do
 */
export async function openDatabase(
  config: Config,
  options: OpenOptions & { create?: boolean },
): Promise<OpenDatabase> {
  const { databaseUrl, databaseDirectUrl, dataDir } = config
  const giveUpAtMs = performance.now() + takenMs
  for (;;) {
    const url = databaseDirectUrl ?? databaseUrl ?? (await waitForRunning(dataDir, options))
    if (url) return { url, isOurs: false, [Symbol.asyncDispose]: async () => undefined }
    if (!options.create && !existsSync(join(dataDir, 'postgres'))) {
      throw new Error(
        `There is no database in DATA_DIR ${dataDir}: run "npm start" first, or set DATA_DIR or DATABASE_URL to those of the server.`,
      )
    }
    try {
      const embedded = await startPostgres({ dataDir, ...options, leavesOthers: true })
      return { url: embedded.url, isOurs: true, [Symbol.asyncDispose]: embedded.stop }
    } catch (error) {
      const isTaken = error instanceof StartFailure && error.kind === 'taken'
      if (!isTaken || performance.now() > giveUpAtMs) throw error
    }
    await sleep(50, undefined, { signal: options.signal })
  }
}

/** Who has taken it since we looked is found soon; one in another container never is. */
const takenMs = 10_000

interface OneOptions extends OpenOptions, LeavingOut {
  /** Whether it is the right one; before anything is written to it. */
  examine?: (db: ProcessDb) => Promise<void>
  /** Whether the process serves; one that does not does one thing, past a pooler, and ends. */
  serves: boolean
  migrations: 'apply' | 'require'
  timeouts: DatabaseTimeouts
  ownsDataDir: boolean
}

async function open(
  stack: AsyncDisposableStack,
  config: Config,
  url: string,
  options: OneOptions,
): Promise<OpenProcess> {
  setPreparedStatements(config.databasePrepared)
  const own = { ...config, imapConnectionsMax: imapConnectionsOfEach(config) }
  const first = await openOne(stack, own, url, options, {})
  const shards = await openShards(first, config, {
    open: (address, more) => openShard(own, address, first.ctx, { ...options, ...more }),
    tryAgain: options.serves,
    leavesOutUnusable: options.leavesOutUnusable,
  })
  if (shards) stack.use(shards)
  await makeDefaultWorkspace(first.ctx)
  const owned = stack.move()
  return { ...first, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** A shard shares network, kept settings and metrics, and has a database, a clock and a log of its own. */
async function openShard(
  config: Config,
  { name, url, directUrl }: ShardAddress,
  first: ProcessContext,
  options: OneOptions,
) {
  await using stack = new AsyncDisposableStack()
  const own = { ...config, databaseUrl: url, databaseDirectUrl: directUrl, databaseShards: [] }
  const { http, mail, lookup, lookupMail, lookupText, keptSettings, metrics } = first
  const shared = {
    ...{ http, mail, lookup, lookupMail, lookupText, keptSettings },
    metrics: metrics.ofShard(name),
  }
  try {
    const way = options.serves ? url : (directUrl ?? url)
    const required = { ...options, migrations: 'require', ownsDataDir: false } as const
    const opened = await openOne(stack, own, way, required, shared)
    const owned = stack.move()
    return { name, ...opened, [Symbol.asyncDispose]: () => owned.disposeAsync() }
  } catch (error) {
    throw new Error(cannotBeUsed(name, (error as Error).message), { cause: error })
  }
}

const cannotBeUsed = (name: string, message: string) =>
  `The shard ${name} cannot be used. ${sayOfShard(name, message).replace(howToMigrate, migrateShards)}`

const migrateShards = 'run "npx outrider migrate --shards", unless its address is wrong'

/** @param shared what the process has already */
async function openOne(
  stack: AsyncDisposableStack,
  config: Config,
  url: string,
  options: OneOptions,
  shared: Partial<ProcessContext>,
): Promise<Omit<OpenProcess, keyof AsyncDisposable>> {
  const { log, signal } = options
  const use = (connected: ProcessDb) => {
    stack.defer(async () => void (await withTimeout(connected.destroy())))
    return connected
  }
  const db = use(connectDatabase(config, url, options.timeouts).db)
  const directUrl = config.databaseDirectUrl ?? url
  await checkDatabase(db, url, url === config.databaseDirectUrl ? 'DATABASE_DIRECT_URL' : undefined)
  if (!options.serves) await requireSameServer(config)
  else if (!options.ownsDataDir) await requireUsablePooler(config, url)
  signal?.throwIfAborted()
  if (options.migrations === 'require') await requireMigrations(db)
  else if (options.ownsDataDir) await updateDatabase(config, { db, url, log })
  else {
    await requireNothingLeft(db, config)
    await applyMigrations(directUrl, log)
  }
  await options.examine?.(db)
  signal?.throwIfAborted()
  // Opened when it is needed, and closed soon after.
  const directDb = directUrl === url ? undefined : use(connect(directUrl, 2, commandTimeouts).db)

  const clock = createClock()
  await setByDatabase(clock, db)
  const { now, monotonicMs } = clock
  const newId = createIdGenerator(now)
  const secrets = await openSecrets(db, { config, now, newId }, { serves: options.serves })
  const ctx = createContext({
    ...{ config, db, now, monotonicMs, newId, secrets, log },
    troubles: new Troubles({ log, monotonicMs }),
    processMark: markProcess({ ownsDataDir: options.ownsDataDir }),
    ...(directDb ? { directDb } : {}),
    ...shared,
  })
  if (!shared.http) stack.defer(async () => void (await withTimeout(ctx.http.close())))
  await ensurePartitions(aroundPooler(ctx))
  stack.use(keepTime(ctx, clock))
  return { ctx, databaseUrl: url, directUrl }
}
