import { Command } from 'commander'
import { readVersion } from '../config.ts'
import { serve } from '../process/serve.ts'
import { campaignCommands } from './campaigns.ts'
import { creditCommands } from './credits.ts'
import { demoCommand } from './demo.ts'
import { directoryCommands } from './directory.ts'
import { doctorCommand } from './doctor.ts'
import { inboxCommands } from './inbox.ts'
import { keyCommands } from './keys.ts'
import { labelCommands } from './labels.ts'
import { leadCommands } from './leads.ts'
import { mailboxCommands } from './mailboxes.ts'
import { migrateCommand } from './migrate.ts'
import { sendCommands } from './sends.ts'
import { suppressionCommands } from './suppressions.ts'
import { webhookCommands } from './webhooks.ts'
import { workspaceCommands } from './workspaces.ts'

/** Every operator command, one file for each noun. */
export function createProgram(): Command {
  const program = new Command('outrider')
    .description('Operates an Outrider service.')
    .version(readVersion())
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', settings)
  workspaceCommands(program)
  keyCommands(program)
  labelCommands(program)
  campaignCommands(program)
  leadCommands(program)
  creditCommands(program)
  directoryCommands(program)
  mailboxCommands(program)
  inboxCommands(program)
  sendCommands(program)
  suppressionCommands(program)
  webhookCommands(program)
  migrateCommand(program)
  doctorCommand(program)
  demoCommand(program)
  program
    .command('api')
    .description('Serve the API alone; needs DATABASE_URL')
    .action(() => serve('api'))
  program
    .command('runner')
    .description('Deliver and send alone; needs DATABASE_URL')
    .action(() => serve('runner'))
  return program
}

const settings = `
Commands work on the database of DATABASE_URL, else on that of the server in DATA_DIR (./data).
They may run while the server does. They exit with 0, 1 when it did not work, 2 when misspelt.`
