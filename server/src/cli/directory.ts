import type { Command } from 'commander'
import type { OptedOutEverywhere } from '../features/acquisition/index.ts'
import {
  type DirectoryStats,
  loadSample,
  readStats,
  reindexDirectory,
  removeSample,
  type Sample,
} from '../features/directory/index.ts'
import type { ProcessContext } from '../kernel/context.ts'
import { counted } from '../kernel/text.ts'
import { exportCommand } from './directory-export.ts'
import { importCommand } from './directory-import.ts'
import { askInTurn, askInTurnBySession, showingProgress } from './directory-options.ts'
import { getShard, type OutputOptions, operate, withOutput } from './operate.ts'
import { formatRecord } from './terminal.ts'

export function directoryCommands(program: Command) {
  const directory = program
    .command('directory')
    .description('The contacts and companies that workspaces search')
  importCommand(directory)
  exportCommand(directory)

  withOutput(directory.command('reindex'))
    .description('Make anew what searches find contacts by; the service says when it is needed')
    .action((options: OutputOptions) =>
      operate(
        options,
        async (ctx) => {
          const [first] = await askInTurnBySession(ctx, async (shard) => {
            const { contacts, companies } = await readStats(shard)
            const whole = contacts + companies
            return await showingProgress(shard, options, (show) =>
              reindexDirectory(shard, (done) => show({ what: 'rows', count: done, done, whole })),
            )
          })
          return first
        },
        (reindexed) => formatRecord({ ...reindexed }),
      ),
    )

  withOutput(directory.command('stats'))
    .description('How much is in it')
    .option('--shard <name>', 'in the copy of this database; else of the first')
    .action((options: OutputOptions & { shard?: string }) =>
      operate(
        options,
        (ctx) => readStats(options.shard ? getShard(ctx, options.shard) : ctx),
        showStats,
      ),
    )

  withOutput(directory.command('optout'))
    .description('Remove a person, or everybody of a domain, and never let them in again')
    .argument('<address-or-domain>', 'an e-mail address, or a domain with those below it')
    .action((addressOrDomain: string, options: OutputOptions) =>
      operate(
        options,
        async (ctx) => {
          // With it comes most of the program: an import would have to carry it.
          const { optOutEverywhere } = await import('../features/acquisition/index.ts')
          return optOutEverywhere(ctx, addressOrDomain)
        },
        showOptedOut,
      ),
    )

  withOutput(directory.command('sample'))
    .description('Load 5,000 made-up contacts of 500 companies, to try things out')
    .option('--remove', 'take them out again; what was acquired of them stays acquired')
    .action((options: OutputOptions & { remove?: true }) =>
      options.remove
        ? operate(options, onEach(askInTurn, removeSample), (sample) => `Removed ${told(sample)}.`)
        : operate(
            options,
            onEach(askInTurnBySession, loadSample),
            (sample) => `Loaded ${told(sample)}.`,
          ),
    )
}

/** Each database has a copy of the directory: what the first one says holds for all. */
const onEach =
  (ask: typeof askInTurn<Sample>, work: (shard: ProcessContext) => Promise<Sample>) =>
  async (ctx: ProcessContext) =>
    (await ask(ctx, work))[0]

const told = ({ contacts, companies }: Sample) => `${contacts} contacts and ${companies} companies`

const showStats = (stats: DirectoryStats) => formatRecord({ ...stats })

const showOptedOut = ({
  kind,
  contacts_removed: removed,
  leads_stopped: stopped,
}: OptedOutEverywhere) => {
  const who = kind === 'address' ? 'Nobody with this address' : 'Nobody of this domain'
  return `${counted(removed, 'contact was', 'contacts were')} removed. ${who} is found, revealed or imported again, or written to by any workspace; ${stopped} ${stopped === 1 ? 'lead was' : 'leads were'} stopped.`
}
