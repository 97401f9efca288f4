import { buildApi } from '../app.ts'
import type { Config } from '../config.ts'
import { isReindexDue, loadSample } from '../features/directory/index.ts'
import { keepListener } from '../features/kept-settings/index.ts'
import { type ListenForChanges, liveChannel } from '../features/live/index.ts'
import { flushTokens } from '../features/mailboxes/index.ts'
import { markerFile } from '../features/sending/index.ts'
import type { OpenShard, ProcessContext } from '../kernel/context.ts'
import { listen } from '../kernel/db/listen.ts'
import { apiTimeouts, runnerTimeouts } from '../kernel/db/timeouts.ts'
import { describeError, type Log } from '../kernel/log.ts'
import type { EmbeddedPostgres } from '../kernel/postgres/index.ts'
import { hintChannel } from '../kernel/runner/hint.ts'
import { startRunner } from '../loops.ts'
import { announce } from './announce.ts'
import { connectDatabase } from './database.ts'
import { forEachShard } from './for-each-shard.ts'
import { gaugeConnections, setGauges } from './gauges.ts'
import { keepSettings } from './kept-settings.ts'
import { logLinkAddress } from './link-address.ts'
import { type Listener, listenOn } from './listener.ts'
import { type OpenProcess, openServer } from './open.ts'
import type { Role } from './role.ts'
import { buildRunnerStatus } from './runner-status.ts'
import { writeServiceSettings } from './service-settings.ts'
import { type StopRequest, withTimeout } from './shutdown.ts'
import { watchHealth } from './watch-health.ts'

interface ServiceOptions {
  log: Log
  stop: StopRequest
  /** Under way. Undefined: the database of DATABASE_URL. */
  postgres: Promise<EmbeddedPostgres> | undefined
  isFirstStart: boolean
  /** Nobody watches, and a journal has lines, no paragraphs. */
  isJournal: boolean
}

/** Serves until a stop is requested. */
export async function runServices(role: Role, config: Config, options: ServiceOptions) {
  const { log, stop, postgres, isFirstStart, isJournal } = options
  const timeouts = role === 'runner' ? runnerTimeouts : apiTimeouts
  await using opened = await openServer(config, { log, signal: stop.signal, postgres, timeouts })
  const { ctx } = opened
  // Something to try the search on; a database of the operator's is left alone.
  if (isFirstStart) await loadSampleOrNot(ctx)
  await tellIfReindexIsDue(ctx)
  ctx.metrics.observeProcess()
  // A runner serves nobody, and has none of the addresses that commands print.
  if (role !== 'runner') await writeSettingsOrNot(ctx)
  await using _settings = await keepSettings(ctx, role)
  await using _health = await forEachShard(opened, 'health', async (shard) => {
    const isEmbedded = shard.ctx.config.databaseUrl === undefined
    return watchHealth(shard.ctx, isEmbedded ? config.dataDir : undefined)
  })
  await using services = await startServices(role, opened)
  const { address } = services
  if (role !== 'runner' && address !== undefined) await keepListener(ctx, address)
  logLinkAddress(ctx)
  const { version } = config
  log.info({ role, address: services.address, version }, 'started')
  if (role !== 'runner' && !isJournal) await announce(ctx, services.address)
  await stop.requested
  log.info('stopping')
}

/** Without it everything else works. */
async function loadSampleOrNot(ctx: ProcessContext) {
  try {
    ctx.log.info(await loadSample(ctx), 'sample directory loaded')
  } catch (error) {
    ctx.log.warn(describeError(error), 'the sample directory was not loaded')
  }
}

/** Until then searches find nobody of before the migration to terms. */
async function tellIfReindexIsDue({ db, log }: ProcessContext) {
  if (!(await isReindexDue(db))) return
  log.warn('searches do not find all contacts of the directory: run "outrider directory reindex"')
}

/** Commands beside the service then need them typed again. */
async function writeSettingsOrNot({ config, now, log }: ProcessContext) {
  await writeServiceSettings(config.dataDir, now()).catch((error) =>
    log.warn(describeError(error), 'the settings for commands were not written'),
  )
}

/** What a role does. Disposing answers and delivers what is under way, and starts nothing new. */
export interface Services extends AsyncDisposable {
  /** Where this process answers; undefined when it does not listen. */
  address: string | undefined
}

/** @param plugin registered before the routes of the API: routes that only this process serves */
export async function startServices(
  role: Role,
  opened: OpenProcess,
  plugin?: Plugin,
): Promise<Services> {
  const { shards } = opened.ctx
  if (shards) shards.onOpened(({ ctx }) => setGauges(ctx))
  else setGauges(opened.ctx)
  const listener = await startListener(role, opened, plugin)
  const runners =
    role === 'api'
      ? undefined
      : await forEachShard(opened, 'runner', (shard) => startRunnerOf(role, shard)).catch(
          async (error) => {
            await listener?.drain()
            throw error
          },
        )
  return {
    address: listener?.address,
    async [Symbol.asyncDispose]() {
      const ended = Promise.all([listener?.drain(), runners?.[Symbol.asyncDispose]()])
      // A request that nobody waits for any more may have begun some.
      await Promise.all([ended, withTimeout(ended.then(flushTokens), drainMs)])
    },
  }
}

type Plugin = NonNullable<Parameters<typeof buildApi>[1]>['plugin']

async function startListener(
  role: Role,
  opened: OpenProcess,
  plugin: Plugin,
): Promise<Listener | undefined> {
  const { ctx } = opened
  const { host, port, runnerPort } = ctx.config
  if (role !== 'runner') {
    // Pages that are told nothing ask by themselves.
    const listens: ListenForChanges | undefined = canListen(ctx.config)
      ? (on) => listenForChanges(opened, on)
      : undefined
    const api = await buildApi(ctx, { plugin, listen: listens })
    return listenOn(api, { host, port, variable: 'PORT' })
  }
  if (runnerPort === undefined) return undefined
  return listenOn(buildRunnerStatus(ctx), { host, port: runnerPort, variable: 'RUNNER_PORT' })
}

/** What was changed on a shard before it is listened to is in no message. */
async function listenForChanges(opened: OpenProcess, { message, gap }: ListenOn) {
  const listening = await forEachShard(opened, 'live', async ({ ctx, directUrl }) => {
    if (!canListen(ctx.config)) return new AsyncDisposableStack()
    const end = await listen(directUrl, liveChannel, message, ctx.log, gap)
    if (ctx !== opened.ctx) gap()
    return { [Symbol.asyncDispose]: end }
  })
  return async () => listening[Symbol.asyncDispose]()
}

type ListenOn = Parameters<ListenForChanges>[0]

/** A pooler in transaction mode passes no notifications on. */
const canListen = ({ databasePrepared, databaseDirectUrl }: Config) =>
  databasePrepared || databaseDirectUrl !== undefined

async function startRunnerOf(
  role: Role,
  { ctx, databaseUrl, directUrl }: Omit<OpenShard, 'name'>,
): Promise<AsyncDisposable> {
  const { config, log } = ctx
  // Beside an API it has connections of its own, so that neither has to wait for the other's.
  const own = role === 'main' ? connectDatabase(config, databaseUrl, runnerTimeouts).db : undefined
  if (own) gaugeConnections(ctx, [ctx.db, own])
  const runner = await startRunner(own ? { ...ctx, db: own } : ctx, {
    marker: markerFile(config.dataDir, config.databaseUrl === undefined, ctx.shard),
    // A runner that is told nothing goes by its poll alone. After a gap it looks for everything once.
    ...(canListen(config)
      ? { listen: (onHint) => listen(directUrl, hintChannel, onHint, log, () => onHint('')) }
      : {}),
  }).catch(async (error) => {
    await own?.destroy()
    throw error
  })
  return {
    async [Symbol.asyncDispose]() {
      await withTimeout(runner.stop(), drainMs)
      await own?.destroy()
    },
  }
}

/**
 * Longer than a runner lets its requests go on, so that it can give its leases back; less than a stop may
 * take.
 */
const drainMs = 8000
