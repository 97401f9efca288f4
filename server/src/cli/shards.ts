import type { Command } from 'commander'
import { listShards, type ShownShard } from '../features/workspaces/index.ts'
import type { ProcessContext } from '../kernel/context.ts'
import { AppError } from '../kernel/errors.ts'
import { updateRegistered } from '../kernel/shards/queries.ts'
import { parseCount } from './arguments.ts'
import { type OutputOptions, operate, withOutput } from './operate.ts'
import { formatTable } from './terminal.ts'

export function shardCommands(program: Command) {
  const shards = program
    .command('shards')
    .description('The databases that workspaces lie on, where there are several')

  withOutput(shards.command('list'))
    .description('List them, with the workspaces of each')
    .action((options: OutputOptions) =>
      operate(options, async (ctx) => ({ items: await listShards(ctx) }), showShards),
    )

  withOutput(shards.command('set'))
    .description('Limit how many workspaces are made on a shard; those that it has stay')
    .argument('<shard>', 'its name')
    .requiredOption('--workspaces-max <number>', 'none lifts the limit', parseLimit)
    .action((name: string, options: OutputOptions & { workspacesMax: number | null }) =>
      operate(options, (ctx) => setShard(ctx, name, options.workspacesMax), showShards),
    )
}

const parseLimit = (text: string) => (text === 'none' ? null : parseCount(text))

async function setShard(ctx: ProcessContext, name: string, workspacesMax: number | null) {
  const changed = await updateRegistered(ctx.db, name, { workspaces_max: workspacesMax })
  if (!changed) {
    throw new AppError('not_found', 'There is no such shard; "outrider shards list" shows all.')
  }
  return { items: (await listShards(ctx)).filter((shard) => shard.name === name) }
}

const showShards = ({ items }: { items: ShownShard[] }) =>
  items.length === 0
    ? 'There is one database, without shards.'
    : formatTable(
        ['shard', 'workspaces', 'at most'],
        items.map(({ name, workspaces, workspaces_max }) => [
          ...[name, workspaces ?? 'does not answer', workspaces_max ?? 'no limit'],
        ]),
      )
