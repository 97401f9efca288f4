import type { Command } from 'commander'
import type { Config } from '../config.ts'
import type { ProcessDb } from '../kernel/db/db.ts'
import { countConnectionsOlderThan } from '../kernel/db/migration-gap.ts'
import { commandTimeouts } from '../kernel/db/timeouts.ts'
import type { Log } from '../kernel/log.ts'
import { counted } from '../kernel/text.ts'
import { updateDatabase } from '../process/backup/update-database.ts'
import {
  applyMigrations,
  checkDatabase,
  connectDatabase,
  requireNothingLeft,
} from '../process/database.ts'
import { openDatabase } from '../process/open.ts'
import { requireSameServer } from '../process/pooler.ts'
import { type PreparedShard, prepareShards } from '../process/register-shards.ts'
import { readCommandSettings } from '../process/service-settings.ts'
import { urlVariable } from './doctor.ts'
import { type OutputOptions, tellOfAwayStandby, terminalLog, withOutput } from './operate.ts'
import { print } from './terminal.ts'

export function migrateCommand(program: Command) {
  withOutput(program.command('migrate'))
    .description('Bring the database to this version; the servers do it too when they start')
    .option('--no-backup', 'do not back up the embedded database before it is changed')
    .option('--shards', 'also the databases of DATABASE_SHARDS; new ones are registered')
    .action(async (options: MigrateOptions) => {
      const done = await migrateDatabase(options)
      print(options.json ? JSON.stringify(done) : summary(done))
    })
}

type MigrateOptions = OutputOptions & { backup: boolean; shards?: true }

interface Migrated {
  applied: string[]
  /** Of the further databases, where they were asked for. */
  shards?: PreparedShard[]
}

async function migrateDatabase({ backup, shards }: MigrateOptions): Promise<Migrated> {
  const begunMs = performance.now()
  const { config } = readCommandSettings()
  const log = terminalLog()
  using _standby = tellOfAwayStandby(config)
  await using database = await openDatabase(config, { log, create: true })
  const { db } = connectDatabase(config, database.url, commandTimeouts, 1)
  try {
    await checkDatabase(db, database.url, urlVariable(config))
    await requireSameServer(config)
    if (config.databaseUrl) await requireNothingLeft(db, config)
    const { url } = database
    const applied =
      config.databaseUrl || !backup
        ? await applyMigrations(url, log)
        : await updateDatabase(config, { db, url, log })
    if (applied.length > 0) await warnOfProcesses(db, begunMs, log)
    if (!shards) return { applied }
    requireShards(config)
    const prepared = await prepareShards(config, db, log)
    // Of a database that was no shard before nobody has known the tables.
    const isOfShards = prepared.some(({ isNew, applied: there }) => !isNew && there.length > 0)
    if (applied.length === 0 && isOfShards) await warnOfProcesses(db, begunMs, log)
    return { applied, shards: prepared }
  } finally {
    await db.destroy()
  }
}

/** Who was there before the tables changed is of the version before. */
async function warnOfProcesses(db: ProcessDb, begunMs: number, log: Log) {
  const count = await countConnectionsOlderThan(db, performance.now() - begunMs)
  if (count === 0) return
  log.warn(
    `The tables have changed under ${counted(count, 'connection', 'connections')} of Outrider: stop every process of the version before now; "npx outrider doctor" names their runners. A pooler keeps its own for a while.`,
  )
}

function requireShards({ databaseShards }: Config) {
  if (databaseShards.length > 0) return
  throw new Error(
    'DATABASE_SHARDS names no database: set it, as in DATABASE_SHARDS="b=postgres://user:password@host:5432/database".',
  )
}

const summary = ({ applied, shards }: Migrated) =>
  [
    describe(applied),
    ...(shards ?? []).map(({ name, applied: there, isNew }) =>
      `Shard ${name}: ${isNew ? 'registered. ' : ''}${describe(there)}`.trimEnd(),
    ),
  ].join('\n')

const describe = (applied: string[]) =>
  applied.length === 0
    ? 'The database is up to date.'
    : `Applied:\n${applied.map((name) => `  ${name}`).join('\n')}`
