import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, environment, readConfig } from '../config.ts'
import { endsInJournal } from '../kernel/journal.ts'
import { createLog, describeError, type Log } from '../kernel/log.ts'
import { type EmbeddedPostgres, startPostgres } from '../kernel/postgres/index.ts'
import { explainFailure } from './failure.ts'
import { requireFree } from './listener.ts'
import type { Role } from './role.ts'
import { requireNoOtherDatabase } from './service-settings.ts'
import { listenForStop } from './shutdown.ts'

/** Runs until SIGINT, SIGTERM or SIGHUP. What keeps it from starting is told in one sentence on stderr. */
export async function serve(role: Role): Promise<void> {
  const stop = listenForStop()
  try {
    const config = readConfig()
    if (!config.databaseUrl) {
      if (role !== 'main') throw new Error(needsDatabase(role))
      requireNoOtherDatabase(config.dataDir)
    }
    const isJournal = endsInJournal(1, environment.JOURNAL_STREAM)
    const log = createLog(config.logLevel, { hasPriorities: isJournal })
    reportCrash(log)
    const isFirstStart = !config.databaseUrl && !existsSync(join(config.dataDir, 'postgres'))
    const { host, port } = config
    if (isFirstStart) await requireFree({ host, port, variable: 'PORT' })
    {
      await using postgres = config.databaseUrl
        ? undefined
        : beginPostgres(config, log, stop.signal)
      const { runServices } = await import('./services.ts')
      await runServices(role, config, {
        ...{ log, stop, postgres: postgres?.started, isFirstStart, isJournal },
      })
    }
    log.info('stopped')
  } catch (error) {
    // A start that was called off has nothing to report.
    if (stop.signal.aborted) return
    const priority = endsInJournal(2, environment.JOURNAL_STREAM) ? '<3>' : ''
    process.stderr.write(`${priority}Outrider cannot start. ${explainFailure(error)}\n`)
    process.exitCode = 1
  }
}

interface BegunPostgres extends AsyncDisposable {
  started: Promise<EmbeddedPostgres>
}

/** PostgreSQL starts while the program is loaded: each takes a while. */
function beginPostgres({ dataDir }: Config, log: Log, signal: AbortSignal): BegunPostgres {
  const started = startPostgres({ dataDir, log, signal })
  const stop = async () => {
    // Why it did not start is told by whoever waits for it.
    const postgres = await started.catch(() => undefined)
    await postgres?.stop()
  }
  started.catch(() => undefined)
  return { started, [Symbol.asyncDispose]: stop }
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
