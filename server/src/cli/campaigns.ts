import type { Command } from 'commander'
import { listCampaigns, listRefusedCopies } from '../features/campaigns/index.ts'
import { type CampaignForecast, forecastCampaign } from '../features/sending/index.ts'
import { readAll } from '../kernel/http/page.ts'
import { counted } from '../kernel/text.ts'
import { parseAtLeastOne, parseId } from './arguments.ts'
import { previewCommand } from './campaign-preview.ts'
import { showForecast } from './forecast-table.ts'
import { handOverCommand } from './hand-over.ts'
import { operateIn, type WorkspaceOptions, withWorkspace } from './operate.ts'
import { formatTable } from './terminal.ts'

export function campaignCommands(program: Command) {
  const campaigns = program.command('campaigns').description('Campaigns and what they will send')

  withWorkspace(campaigns.command('list'))
    .description('List the campaigns, and why those that do not send do not')
    .action((options: WorkspaceOptions) =>
      operateIn(
        options,
        async (ctx, workspaceId) => ({
          ...(await readAll((page) => listCampaigns(ctx, workspaceId, page, {}))),
          refused_copies: await listRefusedCopies(ctx.db, workspaceId),
        }),
        ({ items, refused_copies }) =>
          [
            formatTable(
              [
                'id',
                'name',
                'status',
                'sending',
                'leads',
                'to be written to',
                'without mailbox',
                'held back',
              ],
              items.map(({ id, name, status, sending_status, lead_counts }) => [
                id,
                name,
                status,
                sending_status.reason ?? 'now',
                lead_counts.total,
                lead_counts.active,
                sending_status.leads_waiting_for_mailbox,
                sending_status.leads_held_back,
              ]),
            ),
            ...refused_copies.map(describeRefusedCopy),
          ].join('\n'),
      ),
    )

  withWorkspace(campaigns.command('forecast'))
    .description('Show what a campaign would send on which day, from which mailbox')
    .argument('<id>', 'id of the campaign', parseId)
    .option('--days <number>', 'how many days to look ahead', parseAtLeastOne, 366)
    .addHelpText('after', notes)
    .action((id: string, options: WorkspaceOptions & { days: number }) =>
      operateIn<CampaignForecast>(
        options,
        (ctx, workspaceId) => forecastCampaign(ctx, workspaceId, id, { daysMax: options.days }),
        showForecast,
      ),
    )

  previewCommand(campaigns)
  handOverCommand(campaigns)
}

type NotedCopy = Awaited<ReturnType<typeof listRefusedCopies>>[number]

const describeRefusedCopy = ({ campaign_id, address, code, message, mails }: NotedCopy) =>
  `The copies of campaign ${campaign_id} to ${address} are refused (${[code, message].filter(Boolean).join(' ')}): ${counted(mails, 'mail', 'mails')} went out without it. Take it off cc_list or bcc_list, or mend the address.`

const notes = `
By the rules of the sender, as if nobody replied, bounced or unsubscribed and the campaign had its
mailboxes to itself. One that is not active is looked at as if it were started now. Days are those
of its first schedule.`
