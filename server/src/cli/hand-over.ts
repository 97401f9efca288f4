import type { Command } from 'commander'
import { operator } from '../features/audit/index.ts'
import { type HandOverResult, handOver, previewHandOver } from '../features/hand-over/index.ts'
import type { WaitingLeads } from '../features/leads/index.ts'
import { dayMs } from '../kernel/durations.ts'
import { counted } from '../kernel/text.ts'
import { operateIn, type WorkspaceOptions, withWorkspace } from './operate.ts'
import { type Confirmable, withYes } from './options.ts'
import { formatTable } from './terminal.ts'

interface HandOverOptions extends WorkspaceOptions, Confirmable {
  from: string
  to: string
}

export function handOverCommand(campaigns: Command) {
  withYes(withWorkspace(campaigns.command('hand-over')), 'do it')
    .description(
      'Let another mailbox go on with the conversations of one; counts them, unless --yes',
    )
    .requiredOption('--from <address>', 'the mailbox, also one that was removed')
    .requiredOption('--to <address>', 'the mailbox that goes on')
    .addHelpText('after', notes)
    .action((options: HandOverOptions) =>
      operateIn(
        options,
        (ctx, workspaceId) =>
          options.yes
            ? handOver(ctx, workspaceId, options, operator)
            : previewHandOver(ctx, workspaceId, options),
        showHandOver,
      ),
    )
}

const notes = `
Leads get their follow-ups in the same thread, from the other address. It is added to email_list of
the campaigns that they are in. Answers in "inbox reply" go through it as well.`

export const showWaiting = (campaigns: WaitingLeads[]) =>
  formatTable(
    ['campaign', 'name', 'leads'],
    campaigns.map(({ campaign_id, campaign_name, leads }) => [campaign_id, campaign_name, leads]),
  )

/** Answers that nobody sees are no reason for the other mailbox to stop. */
function unreadNotes({ from, is_read, last_read }: HandOverResult): string[] {
  if (is_read) return []
  const since = last_read
    ? `since ${last_read.toISOString()} (${counted(daysSince(last_read), 'day', 'days')} ago)`
    : 'and never was'
  return [
    `${from} is not read ${since}: whoever answered there later is written to all the same. Add, resume or mend that mailbox until "mailboxes list --json" says inbox_read_at, or look into it and set the status of those who answered.`,
  ]
}

const daysSince = (time: Date) => Math.floor((Date.now() - time.getTime()) / dayMs)

function showHandOver(handed: HandOverResult): string {
  const { from, to, campaigns, moved, left } = handed
  const waiting = campaigns.reduce((sum, { leads }) => sum + leads, 0)
  const table = campaigns.length === 0 ? [] : [showWaiting(campaigns)]
  const follow = `${counted(waiting, 'lead waits', 'leads wait')} for a follow-up from ${from}.`
  const unread = unreadNotes(handed)
  if (moved === null) {
    return [...table, follow, ...unread, 'Nothing was changed; --yes does it.'].join('\n\n')
  }
  const rest =
    left === 0
      ? []
      : [`${counted(left, 'has', 'have')} a mail under way: run this again for the rest.`]
  return [
    ...table,
    `${to} goes on with ${counted(moved, 'conversation', 'conversations')} of ${from}.`,
    ...rest,
    ...unread,
  ].join('\n\n')
}
