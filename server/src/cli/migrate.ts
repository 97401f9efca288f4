import type { Command } from 'commander'
import { connect } from '../kernel/db/db.ts'
import { updateDatabase } from '../process/backup/update-database.ts'
import { applyMigrations, checkDatabase } from '../process/database.ts'
import { openDatabase } from '../process/open.ts'
import { readCommandSettings } from '../process/service-settings.ts'
import { type OutputOptions, terminalLog, withOutput } from './operate.ts'
import { print } from './terminal.ts'

export function migrateCommand(program: Command) {
  withOutput(program.command('migrate'))
    .description('Bring the database to this version; the servers do it too when they start')
    .option('--no-backup', 'do not back up the embedded database before it is changed')
    .action(async (options: OutputOptions & { backup: boolean }) => {
      const applied = await migrateDatabase(options)
      print(options.json ? JSON.stringify({ applied }) : summary(applied))
    })
}

async function migrateDatabase({ backup }: { backup: boolean }): Promise<string[]> {
  const { config } = readCommandSettings()
  const log = terminalLog()
  await using database = await openDatabase(config, { log, create: true })
  const { db } = connect(database.url, 1)
  try {
    await checkDatabase(db, database.url)
    if (config.databaseUrl || !backup) return await applyMigrations(database.url, log)
    return await updateDatabase(config, { db, url: database.url, log })
  } finally {
    await db.destroy()
  }
}

const summary = (applied: string[]) =>
  applied.length === 0
    ? 'The database is up to date.'
    : `Applied:\n${applied.map((name) => `  ${name}`).join('\n')}`
