import type { Command } from 'commander'
import { type ReplayRequest, replay } from '../features/deliveries/index.ts'
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
    const selection = select(webhookId, options)
    if (!selection) return replaying.error('error: give --from and --to, or --delivery')
    return operateIn(
      options,
      async (ctx, workspaceId) => ({
        queued: await replay(ctx, { workspaceId, ...selection } as ReplayRequest),
      }),
      ({ queued }) => `${queued} ${queued === 1 ? 'delivery is' : 'deliveries are'} queued.`,
    )
  })
}

type ReplayOptions = WorkspaceOptions & Period & { delivery?: string }

function select(webhookId: string, { from, to, delivery }: ReplayOptions) {
  if (delivery) return from || to ? undefined : { webhookId, retryGroupId: delivery }
  return from && to && from < to ? { webhookId, from, to } : undefined
}
