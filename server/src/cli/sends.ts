import type { Command } from 'commander'
import { operator } from '../features/audit/index.ts'
import {
  confirmArrived,
  confirmHeld,
  type HeldShard,
  holdAll,
  listHeld,
  listSends,
  listUncertain,
  type ShownSend,
  sendAgain,
} from '../features/sending/index.ts'
import type { ProcessContext } from '../kernel/context.ts'
import { AppError } from '../kernel/errors.ts'
import { counted } from '../kernel/text.ts'
import { explainFailure } from '../process/failure.ts'
import { parseAtLeastOne, parseId } from './arguments.ts'
import {
  type OutputOptions,
  operate,
  operateIn,
  type WorkspaceOptions,
  withOutput,
  withWorkspace,
} from './operate.ts'
import { type Confirmable, type Limited, oneOf, withLimit, withYes } from './options.ts'
import { ask, formatTable, tell } from './terminal.ts'

export function sendCommands(program: Command) {
  const sends = program.command('sends').description('What was sent, and what became of it')

  withLimit(withWorkspace(sends.command('list')), 50)
    .description('List the mails of campaigns, newest first')
    .option('--campaign <id>', 'of this campaign', parseId)
    .addOption(oneOf('--state <state>', 'in this state', sendStates))
    .action((options: ListOptions) => {
      const { campaign = null, state = null, limit } = options
      return operateIn(
        options,
        async (ctx, workspaceId) => ({
          items: await listSends(ctx, workspaceId, { campaignId: campaign, state }, limit),
        }),
        showSends,
      )
    })

  withWorkspace(sends.command('uncertain'))
    .description('List mails of which nobody knows whether they were sent; they count as sent')
    .addHelpText('after', uncertainNotes)
    .option('--limit <number>', 'how many, oldest first', parseAtLeastOne, 1000)
    .action(({ limit, ...options }: WorkspaceOptions & { limit: number }) =>
      operateIn(
        options,
        async (ctx, workspaceId) => ({ items: await listUncertain(ctx, workspaceId, limit) }),
        showSends,
      ),
    )

  withWorkspace(sends.command('arrived'))
    .description('Say that an uncertain mail arrived')
    .argument('<id>', 'id of the send', parseId)
    .action((id: string, options: WorkspaceOptions) =>
      operateIn(
        options,
        (ctx, workspaceId) => confirmArrived(ctx, workspaceId, id, operator),
        () => 'It is recorded as sent.',
      ),
    )

  withWorkspace(sends.command('send-again'))
    .description('Send an uncertain mail again; if it arrived, its lead has it twice')
    .argument('<id>', 'id of the send', parseId)
    .action((id: string, options: WorkspaceOptions) =>
      operateIn(
        options,
        (ctx, workspaceId) => sendAgain(ctx, workspaceId, id, operator),
        ({ campaign_name, state, reasons }) =>
          state === 'waiting'
            ? 'The answer is sent again as soon as its mailbox is free.'
            : `It is sent again as soon as ${reasons.length > 0 ? 'its lead is resumed, ' : ''}its campaign ${campaign_name} is active and its mailbox free. ${reasons.join(' ')}`.trim(),
      ),
    )

  withOutput(sends.command('hold'))
    .description('Send and deliver nothing, of no workspace, until confirm-restore')
    .action(hold)

  withYes(withOutput(sends.command('confirm-restore')), 'do not ask')
    .description('Go on sending by this database, after a restore, a failover or a hold')
    .addHelpText('after', restoreNotes)
    .action((options: OutputOptions & Confirmable) =>
      operate(options, (ctx) => askAndConfirm(ctx, options.yes === true), showConfirmed),
    )
}

async function hold(options: OutputOptions) {
  let isOpened = false
  const holdOpened = (ctx: ProcessContext) => {
    isOpened = true
    return holdAll(ctx)
  }
  try {
    await operate(
      { ...options, leavesOutUnusable: true },
      holdOpened,
      ({ detail }) => `Nothing is sent from now on. ${detail}`,
    )
  } catch (error) {
    if (isOpened) throw error
    throw new Error(`${explainFailure(error)} ${nothingIsHeld}`, { cause: error })
  }
}

/** Where the first database does not answer, processes that run go on for the others. */
const nothingIsHeld =
  'Nothing is held: processes that run go on sending from every database that answers. Stop them, or run the command again once this is mended.'

async function askAndConfirm(ctx: ProcessContext, isConfirmed: boolean) {
  const held = await listHeld(ctx)
  if (held.length > 0 && !isConfirmed) {
    for (const each of held) tell(`${shardLine(each)}${showPreview(each)}`)
    if (!(await ask('Go on?'))) {
      throw new AppError('not_ready', 'Nothing was changed. With --yes it goes on without asking.')
    }
  }
  return confirmHeld(held)
}

const shardLine = ({ ctx: { shard } }: HeldShard) =>
  shard === undefined ? '' : `The shard ${shard}:\n`

const showPreview = ({ hold, missing, last_mail, ...counts }: HeldShard) =>
  `${showMissing(missing)}${hold.detail} Held since ${hold.since.toISOString()}.
${last_mail ? `The newest mail that this database knows of is of ${last_mail.toISOString()}: what was sent after it goes out again.` : 'This database knows of no mail: whatever was sent goes out again.'}
When it goes on, ${counted(counts.leads_due, 'lead is', 'leads are')} due within the hour in ${counted(counts.active_campaigns, 'active campaign', 'active campaigns')}, and ${counted(counts.pending_deliveries, 'webhook delivery is', 'webhook deliveries are')} pending.`

const showMissing = (missing: HeldShard['missing']) =>
  missing.length === 0
    ? ''
    : `${formatTable(
        ['workspace', 'campaign', 'lead', 'mailbox', 'sent'],
        missing.map((mail) => [
          mail.workspace ?? mail.workspace_id,
          mail.campaign,
          mail.lead ?? mail.lead_id,
          mail.mailbox,
          mail.timestamp_marked,
        ]),
      )}
The new primary lacks ${counted(missing.length, 'mail, which goes', 'mails, each of which goes')} out again.
`

type ListOptions = WorkspaceOptions & Limited & { campaign?: string; state?: string }

const sendStates = ['claimed', 'transmitting', 'sent', 'failed', 'uncertain']

const uncertainNotes = `
The connection broke after the end of the mail, or the sender died there: the mail server may have
taken it or not. Look whether the lead has it, then say "arrived" or "send-again". What turns up in
the Sent folder, or is answered, is settled by itself.`

const restoreNotes = `
A database that was put back does not know what was sent since: those mails would go out again.
After a failover the processes that sent say which these are, and they are listed before it asks.
Compare the Sent folders with "sends list" first, and pause campaigns whose leads have moved on.
What was under way is settled by the runner; what stays uncertain counts as sent.`

const showConfirmed = ({ uncertain }: { uncertain: number }) =>
  uncertain === 0
    ? 'Sending goes on.'
    : `Sending goes on. In all workspaces ${counted(uncertain, 'mail is uncertain and counts', 'mails are uncertain and count')} as sent: see "npx outrider sends uncertain --workspace NAME" for each.`

const showSends = ({ items }: { items: ShownSend[] }) =>
  formatTable(
    ['id', 'state', 'lead', 'campaign', 'step', 'mailbox', 'time', 'error'],
    items.map((send) => [
      send.id,
      send.state,
      send.lead_email,
      send.campaign_name,
      send.step,
      send.mailbox,
      send.timestamp_settled ?? send.timestamp_claimed,
      send.error_message,
    ]),
  )
