import type { Command } from 'commander'
import { type AddedContacts, addAcquiredToCampaign } from '../features/acquisition/index.ts'
import { type Erased, eraseLead } from '../features/erasure/index.ts'
import type { ProcessContext } from '../kernel/context.ts'
import { AppError } from '../kernel/errors.ts'
import { parseId } from './arguments.ts'
import {
  type OutputOptions,
  operate,
  operateIn,
  type WorkspaceOptions,
  withOutput,
  withWorkspace,
} from './operate.ts'
import { type Confirmable, withYes } from './options.ts'

import { formatRecord, tell } from './terminal.ts'

export function leadCommands(program: Command) {
  const leads = program.command('leads').description('Leads of campaigns')

  withWorkspace(leads.command('add-acquired'))
    .description('Add the contacts of an acquisition list to a campaign')
    .requiredOption('--list <id>', 'id of the list', parseId)
    .requiredOption('--campaign <id>', 'id of the campaign', parseId)
    .action((options: WorkspaceOptions & { list: string; campaign: string }) =>
      operateIn(
        options,
        (ctx, workspaceId) =>
          addAcquiredToCampaign(ctx, workspaceId, {
            list_id: options.list,
            campaign_id: options.campaign,
          }),
        showAdded,
      ),
    )

  withYes(withOutput(leads.command('erase')), 'do it: there is no way back')
    .description('Take a person out of everything that is stored, in all workspaces, for good')
    .argument('<address>', 'the e-mail address')
    .action((address: string, options: OutputOptions & Confirmable) => {
      if (!options.yes) throw new AppError('invalid_field', noWayBack)
      return operate(options, (ctx) => eraseLead(ctx, address, progress(ctx)), showErased)
    })
}

const tellEveryMs = 2_000

/** What takes long says how far it is. */
function progress(ctx: ProcessContext) {
  let nextMs = ctx.monotonicMs() + tellEveryMs
  return (lookedAt: number, isWaiting: boolean) => {
    if (ctx.monotonicMs() < nextMs) return
    nextMs = ctx.monotonicMs() + tellEveryMs
    tell(isWaiting ? 'A mail to the person is under way.' : `${lookedAt} records looked at.`)
  }
}

const noWayBack =
  'This takes the person out of leads, mails, conversations, payloads and the directory of every workspace, for good. Add --yes to do it.'

const showErased = ({ kept, ...counts }: Erased) =>
  [formatRecord({ ...counts }), '', 'Kept:', ...kept.map((each) => `- ${each}`)].join('\n')

const showAdded = (added: AddedContacts) => formatRecord({ ...added })
