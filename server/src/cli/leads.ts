import type { Command } from 'commander'
import { type AddedContacts, addAcquiredToCampaign } from '../features/acquisition/index.ts'
import { parseId } from './arguments.ts'
import { operateIn, type WorkspaceOptions, withWorkspace } from './operate.ts'
import { formatRecord } from './terminal.ts'

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
}

const showAdded = (added: AddedContacts) => formatRecord({ ...added })
