import { resolve } from 'node:path'
import type { Command } from 'commander'
import { readConfig } from '../config.ts'
import { checkArchive } from '../process/backup/archive.ts'
import { createBackup, type RestoredBackup, restoreBackup } from '../process/backup/backup.ts'
import type { MadeBackup } from '../process/backup/write-backup.ts'
import { readCommandSettings } from '../process/service-settings.ts'
import { type OutputOptions, terminalLog, withOutput } from './operate.ts'
import { print, tell } from './terminal.ts'

export function backupCommands(program: Command) {
  const backup = program
    .command('backup')
    .description('Back up the embedded database with its secret key, also while the service runs')
    .addHelpText('after', notes)

  withOutput(backup.command('create'))
    .description('Write a backup and read it back')
    .argument('<file>', 'a new file')
    .action(async (file: string, options: OutputOptions) =>
      show(options, await createBackupOfFirst(resolve(file)), showMade),
    )

  withOutput(backup.command('verify'))
    .description('Read a backup and compare it with what was written')
    .argument('<file>')
    .action(async (file: string, options: OutputOptions) => {
      const { mark, size } = await checkArchive(resolve(file))
      const verified = { timestamp: mark.timestamp, ...size }
      show(options, verified, () => `It is whole. It was begun at ${mark.timestamp}.`)
    })

  withOutput(backup.command('restore'))
    .description('Put a backup into DATA_DIR, which has to be empty')
    .argument('<file>')
    .action(async (file: string, options: OutputOptions) =>
      show(options, await restoreBackup(readConfig(), resolve(file)), showRestored),
    )
}

async function createBackupOfFirst(file: string): Promise<MadeBackup> {
  const { config } = readCommandSettings()
  const made = await createBackup(config, file, terminalLog())
  const names = config.databaseShards.map(({ name }) => name)
  if (names.length > 0) {
    tell(`Only the embedded database is in it: back up ${names.join(' and ')} by pg_dump as well.`)
  }
  return made
}

const notes = `
Never copy DATA_DIR while the service runs: such a copy may not start. A database of DATABASE_URL is
backed up by pg_dump or by its provider, and its secret key belongs to that backup. Of several
databases each is backed up by itself: those of DATABASE_SHARDS are in no backup of this command.`

function show<T>(options: OutputOptions, result: T, inWords: (result: T) => string): void {
  print(options.json ? JSON.stringify(result) : inWords(result))
}

const mebibytes = (bytes: number) => `${Math.ceil(bytes / 1024 ** 2)} MiB`

const showMade = ({ file, bytes, holds_secret_key }: MadeBackup) =>
  `${file}: ${mebibytes(bytes)}, read back. ${holds_secret_key ? 'It holds the secret key: keep it as safe as that.' : 'OUTRIDER_SECRET_KEY is not in it: keep that with it, or no secret in it can be opened.'}`

const showRestored = ({ data_dir, timestamp }: RestoredBackup) =>
  `${data_dir} is as it was when the backup that began at ${timestamp} was through. Start the service: nothing leaves it until "npx outrider sends confirm-restore".`
