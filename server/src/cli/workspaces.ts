import type { Command } from 'commander'
import {
  chooseShard,
  createWorkspace,
  type getWorkspace,
  listAllWorkspaces,
  listWorkspaces,
  type PlanChanges,
  setPlan,
  setWorkspace,
} from '../features/workspaces/index.ts'
import type { ProcessContext } from '../kernel/context.ts'
import { AppError } from '../kernel/errors.ts'
import { parseCount, parseId, parseName, parseSwitch } from './arguments.ts'
import { cancel, keep, moveTo, showCancelled, showKept, showMoved } from './move-workspace.ts'
import { getShard, inNamed, type OutputOptions, operate, withOutput } from './operate.ts'
import { type Confirmable, withYes } from './options.ts'
import { formatRecord, formatTable } from './terminal.ts'

export function workspaceCommands(program: Command) {
  const workspaces = program.command('workspaces').description('Workspaces and their plans')

  withOutput(workspaces.command('create'))
    .description('Create a workspace with everything on')
    .requiredOption('--name <name>', 'its name, not used by another', parseName)
    .option('--shard <name>', 'on this database; else on the one with the fewest workspaces')
    .action((options: OutputOptions & { name: string; shard?: string }) =>
      operate(
        options,
        async (ctx) => {
          const shard = await chooseShard(ctx, options.shard)
          return { ...(await createWorkspace(shard, options.name)), shard: shard.shard }
        },
        showWorkspace,
      ),
    )

  withOutput(workspaces.command('list'))
    .description('List all workspaces')
    .option('--shard <name>', 'of this database alone')
    .action((options: OutputOptions & { shard?: string }) =>
      operate(options, (ctx) => list(ctx, options.shard), showWorkspaces),
    )

  const settings = withOutput(workspaces.command('set'))
    .description('Set how a workspace works; holds for what comes in from now on')
    .argument('<workspace>', 'id or name of the workspace')
    .option(
      '--unsubscribe-by-reply <on|off>',
      'a reply that is nothing but the wish unsubscribes by itself; off: it is only suggested',
      parseSwitch,
    )
  settings.action((workspace: string, { json, ...changes }: SettingOptions) => {
    if (Object.keys(changes).length === 0) settings.error('error: name at least one thing to set')
    return operate(
      json ? { json } : {},
      (ctx) => inNamed(ctx, workspace, (own, id) => setWorkspace(own, id, changes)),
      showWorkspace,
    )
  })

  const moving = withYes(
    withOutput(workspaces.command('move')),
    'with --cancel: also while the database that it was to go to does not answer, or was taken out',
  )
    .description(
      'Move a workspace to another database while the service runs; run again, it ends a move that was killed',
    )
    .argument('<workspace>', 'id or name of the workspace')
    .option('--to <shard>', 'the name of the database')
    .option('--cancel', 'take back a move that was begun and left')
  moving.action((workspace: string, options: MoveOptions) => {
    const { to, cancel: isCancelled } = options
    if (isCancelled && to === undefined) {
      return operate(options, (ctx) => cancel(ctx, workspace, options), showCancelled)
    }
    if (to === undefined || isCancelled)
      return moving.error('error: give --to SHARD, or --cancel alone')
    return operate(options, (ctx) => moveTo(ctx, workspace, to, options), showMoved)
  })

  withYes(withOutput(workspaces.command('keep')), 'do it: there is no way back')
    .description(
      'Say which shard goes on with a workspace that several have, after one of them was put back',
    )
    .argument('<id>', 'id of the workspace', parseId)
    .requiredOption('--on <shard>', 'the name of the database')
    .action((id: string, options: OutputOptions & Confirmable & { on: string }) => {
      if (!options.yes) throw new AppError('invalid_field', noWayBack)
      return operate(options, (ctx) => keep(ctx, id, options.on), showKept)
    })

  const setting = withOutput(workspaces.command('set-plan'))
    .description('Switch parts of the service on or off for a workspace; holds at once')
    .argument('<workspace>', 'id or name of the workspace')
    .option('--api <on|off>', 'campaigns and leads', parseSwitch)
    .option('--webhooks <on|off>', 'webhook destinations', parseSwitch)
    .option('--acquisition <on|off>', 'contact acquisition', parseSwitch)
    .option('--rate <requests>', 'requests in 10 seconds; 0 = unlimited', parseCount)
    .option('--leads-max <leads>', 'leads in all campaigns; "unlimited" lifts it', parseLimit)
    .option('--leadbank-scope <on|off>', 'ask for leadbank scopes', parseSwitch)
    .option('--monthly-credits <credits>', 'granted each month, what is left expires', parseCount)
  setting.action((workspace: string, options: PlanOptions) => {
    const { json, leadbankScope, leadsMax, ...switches } = options
    const changes: PlanChanges = {
      ...switches,
      ...(leadsMax === undefined ? {} : { leadsMax: leadsMax === 'unlimited' ? null : leadsMax }),
      ...(leadbankScope === undefined ? {} : { leadbankScopeRequired: leadbankScope }),
    }
    if (Object.keys(changes).length === 0) setting.error('error: name at least one thing to set')
    return operate(
      json ? { json } : {},
      (ctx) => inNamed(ctx, workspace, (own, id) => setPlan(own, id, changes)),
      showWorkspace,
    )
  })
}

const noWayBack =
  'What the other shards have of the workspace is deleted in an hour, and what was changed or sent there alone is known to nobody then. Add --yes to do it.'

type MoveOptions = OutputOptions & Confirmable & { to?: string; cancel?: true }

type SettingOptions = OutputOptions & { unsubscribeByReply?: boolean }

type PlanOptions = OutputOptions &
  Pick<PlanChanges, 'api' | 'webhooks' | 'acquisition' | 'rate' | 'monthlyCredits'> & {
    leadsMax?: number | 'unlimited'
    leadbankScope?: boolean
  }

type Workspace = Awaited<ReturnType<typeof getWorkspace>> & { shard?: string | undefined }

async function list(ctx: ProcessContext, shard: string | undefined) {
  if (shard !== undefined) {
    const own = await listWorkspaces(getShard(ctx, shard))
    return { items: own.map((item) => ({ ...item, shard })) }
  }
  return { items: await listAllWorkspaces(ctx) }
}

const parseLimit = (text: string) => (text === 'unlimited' ? text : parseCount(text))

const showWorkspaces = ({ items }: { items: Workspace[] }) =>
  formatTable(
    [
      'id',
      'name',
      'api',
      'webhooks',
      'acquisition',
      'rate',
      'leads max',
      'monthly credits',
      'unsubscribe by reply',
      'created',
      ...(items.some(({ shard }) => shard) ? ['shard'] : []),
    ],
    items.map((workspace) => Object.values(plan(workspace))),
  )

const showWorkspace = (workspace: Workspace) => formatRecord(plan(workspace))

const plan = (workspace: Workspace) => ({
  id: workspace.id,
  name: workspace.name,
  api: workspace.plan_api,
  webhooks: workspace.plan_webhooks,
  acquisition: workspace.plan_acquisition,
  rate: workspace.plan_rate === 0 ? 'unlimited' : `${workspace.plan_rate} in 10 s`,
  leads_max: workspace.plan_leads_max ?? 'unlimited',
  monthly_credits: workspace.plan_monthly_credits,
  unsubscribe_by_reply: workspace.unsubscribe_by_reply,
  created: workspace.timestamp_created,
  ...(workspace.shard ? { shard: workspace.shard } : {}),
})
