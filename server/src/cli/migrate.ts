import type { Command } from 'commander'
import { connect } from '../kernel/db/db.ts'
import { applyMigrations, checkDatabase } from '../process/database.ts'
import { openDatabase } from '../process/open.ts'
import { readCommandSettings } from '../process/service-settings.ts'
import { type OutputOptions, terminalLog, withOutput } from './operate.ts'
import { print } from './terminal.ts'

export function migrateCommand(program: Command) {
  withOutput(program.command('migrate'))
    .description('Bring the database to this version; the servers do it too when they start')
    .action(async (options: OutputOptions) => {
      const applied = await migrateDatabase()
      print(options.json ? JSON.stringify({ applied }) : summary(applied))
    })
}

async function migrateDatabase(): Promise<string[]> {
  const { config } = readCommandSettings()
  const log = terminalLog()
  await using database = await openDatabase(config, { log, create: true })
  const { db } = connect(database.url, 1)
  try {
    await checkDatabase(db, database.url)
    return await applyMigrations(database.url, log)
  } finally {
    await db.destroy()
  }
}

const summary = (applied: string[]) =>
  applied.length === 0
    ? 'The database is up to date.'
    : `Applied:\n${applied.map((name) => `  ${name}`).join('\n')}`
