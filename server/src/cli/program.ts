import { Command } from 'commander'
import { readVersion } from '../config.ts'
import type { Role } from '../process/role.ts'

/** Every operator command, one file for each noun, which is loaded when it is asked for. */
const nouns: Record<string, () => Promise<(program: Command) => void>> = {
  workspaces: async () => (await import('./workspaces.ts')).workspaceCommands,
  shards: async () => (await import('./shards.ts')).shardCommands,
  keys: async () => (await import('./keys.ts')).keyCommands,
  users: async () => (await import('./users.ts')).userCommands,
  labels: async () => (await import('./labels.ts')).labelCommands,
  campaigns: async () => (await import('./campaigns.ts')).campaignCommands,
  leads: async () => (await import('./leads.ts')).leadCommands,
  credits: async () => (await import('./credits.ts')).creditCommands,
  directory: async () => (await import('./directory.ts')).directoryCommands,
  mailboxes: async () => (await import('./mailboxes.ts')).mailboxCommands,
  inbox: async () => (await import('./inbox.ts')).inboxCommands,
  sends: async () => (await import('./sends.ts')).sendCommands,
  suppressions: async () => (await import('./suppressions.ts')).suppressionCommands,
  webhooks: async () => (await import('./webhooks.ts')).webhookCommands,
  backup: async () => (await import('./backup.ts')).backupCommands,
  secrets: async () => (await import('./secrets.ts')).secretCommands,
  audit: async () => (await import('./audit.ts')).auditCommands,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  size: async () => (await import('./size.ts')).sizeCommand,
  doctor: async () => (await import('./doctor.ts')).doctorCommand,
  demo: async () => (await import('./demo.ts')).demoCommand,
  start: async () =>
    serveCommand('main', 'Serve, deliver and send in one process, as npm start does'),
  api: async () => serveCommand('api', 'Serve the API alone; needs DATABASE_URL'),
  runner: async () => serveCommand('runner', 'Deliver and send alone; needs DATABASE_URL'),
}

/** @param noun the only one whose commands are needed; all of them where there is no such */
export async function createProgram(noun = ''): Promise<Command> {
  const program = new Command('outrider')
    .description('Operates an Outrider service.')
    .version(readVersion())
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', settings)
  const only = Object.hasOwn(nouns, noun) ? nouns[noun] : undefined
  for (const load of only ? [only] : Object.values(nouns)) (await load())(program)
  refuseRepeated(program)
  return program
}

const repeatable = new Set(['map'])

/** The last value would count, and nobody would hear of the others. */
function refuseRepeated(command: Command) {
  for (const option of command.options) {
    const name = option.name()
    if (option.isBoolean() || repeatable.has(name)) continue
    let isGiven = false
    command.on(`option:${name}`, () => {
      if (isGiven) command.error(`error: option '${option.flags}' is given twice`)
      isGiven = true
    })
  }
  for (const each of command.commands) refuseRepeated(each)
}

const serveCommand = (role: Role, description: string) => (program: Command) =>
  void program
    .command(role === 'main' ? 'start' : role)
    .description(description)
    .action(async () => (await import('../process/serve.ts')).serve(role))

const settings = `
Commands work on the database of DATABASE_URL, else on that of the server in DATA_DIR (./data).
They may run while the server does. They exit with 0, 1 when it did not work, 2 when misspelt.`
