import type { Command } from 'commander'
import { operator } from '../features/audit/index.ts'
import { listLaneHealth } from '../features/deliveries/index.ts'
import { listWebhooks } from '../features/webhooks/index.ts'
import { type Selection, startReplay } from '../features/webhooks/replays/index.ts'
import type { Context } from '../kernel/context.ts'
import { readAll } from '../kernel/http/page.ts'
import { counted } from '../kernel/text.ts'
import { parseId } from './arguments.ts'
import { operateIn, type WorkspaceOptions, withWorkspace } from './operate.ts'
import { type Period, withPeriod } from './options.ts'
import { formatTable } from './terminal.ts'

export function webhookCommands(program: Command) {
  const webhooks = program.command('webhooks').description('Webhook destinations')

  withWorkspace(webhooks.command('list'))
    .description('List the destinations, and since when those fail that do')
    .option('--failing', 'only those that fail')
    .action((options: ListOptions) =>
      operateIn(options, (ctx, workspaceId) => list(ctx, workspaceId, options), showWebhooks),
    )

  const replaying = withPeriod(withWorkspace(webhooks.command('replay')))
    .description(
      'Deliver stored events again: those between --from and --to, which go together, or one delivery',
    )
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

type ListOptions = WorkspaceOptions & { failing?: boolean }

async function list(ctx: Context, workspaceId: string, { failing }: ListOptions) {
  const { items } = await readAll((page) => listWebhooks(ctx, workspaceId, {}, page))
  const ids = items.map(({ id }) => id)
  const lanes = await listLaneHealth(ctx.db, workspaceId, ids)
  const since = new Map(lanes.map((lane) => [lane.webhook_id, lane.failing_since]))
  const listed = items.map((each) => ({ ...each, failing_since: since.get(each.id) ?? null }))
  return { items: failing ? listed.filter(({ failing_since }) => failing_since) : listed }
}

const showWebhooks = ({ items }: Awaited<ReturnType<typeof list>>) =>
  formatTable(
    ['id', 'name', 'event type', 'status', 'failing since', 'address'],
    items.map(({ id, name, event_type, status, failing_since, target_hook_url }) => [
      ...[id, name, event_type, status, failing_since, target_hook_url],
    ]),
  )

type ReplayOptions = WorkspaceOptions & Period & { delivery?: string }

/** @returns a text where the options are not those of one selection */
function select({ from, to, delivery }: ReplayOptions): Selection | string {
  if (delivery && (from || to)) return '--delivery stands alone, without --from and --to'
  if (delivery) return { retryGroupId: delivery }
  if (!from || !to) return 'give --from and --to, or --delivery'
  if (from >= to) return '--to must be later than --from; a date is its first instant'
  return { from, to }
}
