import type { Config } from '../config.ts'
import { isReindexDue, loadSample } from '../features/directory/index.ts'
import type { Context } from '../kernel/context.ts'
import { apiTimeouts, runnerTimeouts } from '../kernel/db/timeouts.ts'
import { describeError, type Log } from '../kernel/log.ts'
import type { EmbeddedPostgres } from '../kernel/postgres/index.ts'
import { announce } from './announce.ts'
import { settleLinkAddress, watchLinkAddress } from './link-address.ts'
import { openServer } from './open.ts'
import { writeServiceSettings } from './service-settings.ts'
import { type Role, startServices } from './services.ts'
import type { StopRequest } from './stop.ts'
import { watchHealth } from './watch-health.ts'

export interface RunOptions {
  log: Log
  stop: StopRequest
  /** Under way. Undefined: the database of DATABASE_URL. */
  postgres: Promise<EmbeddedPostgres> | undefined
  isFirstStart: boolean
}

/** Without it everything else works. */
async function loadSampleOrNot(ctx: Context) {
  try {
    ctx.log.info(await loadSample(ctx), 'sample directory loaded')
  } catch (error) {
    ctx.log.warn(describeError(error), 'the sample directory was not loaded')
  }
}

/** Until then searches find nobody of before the migration to terms. */
async function tellIfReindexIsDue({ db, log }: Context) {
  if (!(await isReindexDue(db))) return
  log.warn('searches do not find all contacts of the directory: run "outrider directory reindex"')
}

/** Commands beside the service then need them typed again. */
async function writeSettingsOrNot({ config, now, log }: Context) {
  await writeServiceSettings(config.dataDir, now()).catch((error) =>
    log.warn(describeError(error), 'the settings for commands were not written'),
  )
}

/** Serves until a stop is requested. */
export async function run(role: Role, config: Config, options: RunOptions): Promise<void> {
  const { log, stop, postgres, isFirstStart } = options
  const timeouts = role === 'runner' ? runnerTimeouts : apiTimeouts
  await using opened = await openServer(config, { log, signal: stop.signal, postgres, timeouts })
  // Something to try the search on; a database of the operator's is left alone.
  if (isFirstStart) await loadSampleOrNot(opened.ctx)
  await tellIfReindexIsDue(opened.ctx)
  opened.ctx.metrics.observeProcess()
  if (role === 'main') await writeSettingsOrNot(opened.ctx)
  log.info(config.outbound, 'outbound policy')
  await settleLinkAddress(opened.ctx)
  await using _health = await watchHealth(
    opened.ctx,
    config.databaseUrl ? undefined : config.dataDir,
  )
  await using services = await startServices(role, opened)
  const listener = role === 'runner' ? undefined : services.address
  await using _links = await watchLinkAddress(opened.ctx, listener)
  announce(opened.ctx, role, services.address)
  await stop.requested
  log.info('stopping')
}
