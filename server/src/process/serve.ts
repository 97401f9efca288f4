import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, readConfig } from '../config.ts'
import { createLog, describeError, type Log } from '../kernel/log.ts'
import { type EmbeddedPostgres, startPostgres } from '../kernel/postgres/index.ts'
import { explainFailure } from './failure.ts'
import type { Role } from './services.ts'
import { listenForStop } from './stop.ts'

/** Runs until SIGINT or SIGTERM. What keeps it from starting is told in one sentence on stderr. */
export async function serve(role: Role): Promise<void> {
  const stop = listenForStop()
  try {
    const config = readConfig()
    if (role !== 'main' && !config.databaseUrl) throw new Error(needsDatabase(role))
    const log = createLog(config.logLevel)
    reportCrash(log)
    const isFirstStart = !config.databaseUrl && !existsSync(join(config.dataDir, 'postgres'))
    const postgres = beginPostgres(config, log, stop.signal)
    const { run } = await import('./run.ts')
    await run(role, config, { log, stop, postgres, isFirstStart })
  } catch (error) {
    // A start that was called off has nothing to report.
    if (stop.signal.aborted) return
    process.stderr.write(`Outrider cannot start. ${explainFailure(error)}\n`)
    process.exitCode = 1
  }
}

/** It starts while the program is loaded: each takes a while. Undefined: there is one already. */
function beginPostgres(
  { databaseUrl, dataDir }: Config,
  log: Log,
  signal: AbortSignal,
): Promise<EmbeddedPostgres> | undefined {
  if (databaseUrl) return undefined
  const starting = startPostgres({ dataDir, log, signal })
  // Told by whoever waits for it.
  starting.catch(() => undefined)
  return starting
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
