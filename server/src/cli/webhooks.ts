import type { Command } from 'commander'
import { operator } from '../features/audit/index.ts'
import { type Selection, startReplay } from '../features/webhooks/replays/index.ts'
import { counted } from '../kernel/text.ts'
import { parseId } from './arguments.ts'
import { operateIn, type WorkspaceOptions, withWorkspace } from './operate.ts'
import { type Period, withPeriod } from './options.ts'

export function webhookCommands(program: Command) {
  const webhooks = program.command('webhooks').description('Webhook destinations')

  const replaying = withPeriod(withWorkspace(webhooks.command('replay')))
    .description('Deliver stored events again: those of a window, or one delivery')
    .argument('<webhook-id>', 'id of the destination', parseId)
    .option('--delivery <retry-group-id>', 'only this delivery', parseId)
  replaying.action((webhookId: string, options: ReplayOptions) => {
    const selection = select(options)
    if (typeof selection === 'string') return replaying.error(`error: ${selection}`)
    return operateIn(
      options,
      async (ctx, workspaceId) => ({
        queued: await startReplay(ctx, workspaceId, webhookId, selection, operator),
      }),
      ({ queued }) => `${counted(queued, 'delivery is', 'deliveries are')} queued.`,
    )
  })
}

type ReplayOptions = WorkspaceOptions & Period & { delivery?: string }

/** @returns a text where the options are not those of one selection */
function select({ from, to, delivery }: ReplayOptions): Selection | string {
  if (delivery && (from || to)) return '--delivery stands alone, without --from and --to'
  if (delivery) return { retryGroupId: delivery }
  if (!from || !to) return 'give --from and --to, or --delivery'
  if (from >= to) return '--to must be later than --from; a date is its first instant'
  return { from, to }
}
