import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, readConfig } from '../config.ts'
import { loadSample } from '../features/directory/index.ts'
import { createLog, describeError, type Log } from '../kernel/log.ts'
import { announce } from './announce.ts'
import { explainFailure } from './failure.ts'
import { openServer } from './open.ts'
import { type Role, startServices } from './services.ts'
import { listenForStop, type StopRequest } from './stop.ts'

/** Runs until SIGINT or SIGTERM. What keeps it from starting is told in one sentence on stderr. */
export async function serve(role: Role): Promise<void> {
  const stop = listenForStop()
  try {
    await run(role, readConfig(), stop)
  } catch (error) {
    // A start that was called off has nothing to report.
    if (stop.signal.aborted) return
    process.stderr.write(`Outrider cannot start. ${explainFailure(error)}\n`)
    process.exitCode = 1
  }
}

async function run(role: Role, config: Config, stop: StopRequest) {
  if (role !== 'main' && !config.databaseUrl) throw new Error(needsDatabase(role))
  const log = createLog(config.logLevel)
  reportCrash(log)
  const isFirstStart = !config.databaseUrl && !existsSync(join(config.dataDir, 'postgres'))
  await using opened = await openServer(config, { log, signal: stop.signal })
  // Something to try the search on; a database of the operator's is left alone.
  if (isFirstStart) log.info(await loadSample(opened.ctx), 'sample directory loaded')
  opened.ctx.metrics.observeProcess()
  log.info(config.outbound, 'outbound policy')
  await using services = await startServices(role, opened)
  announce(opened.ctx, role, services.address)
  await stop.requested
  log.info('stopping')
}

/** Node would print the message, which may quote what must not be in a log. */
function reportCrash(log: Log) {
  process.on('uncaughtException', (error) => {
    log.fatal(describeError(error), 'crashed')
    process.exit(1)
  })
}

const needsDatabase = (role: Role) =>
  `outrider ${role} needs DATABASE_URL, a PostgreSQL that it shares with the other processes; "npm start" alone brings its own.`
