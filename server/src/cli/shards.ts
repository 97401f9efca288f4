import type { Command } from 'commander'
import { firstShardName } from '../config.ts'
import { listLeaving } from '../features/moves/index.ts'
import { listShards, type ShownShard } from '../features/workspaces/index.ts'
import type { ProcessContext } from '../kernel/context.ts'
import { findInstance, updateInstance } from '../kernel/db/instance.ts'
import { AppError } from '../kernel/errors.ts'
import { askAllShards, askShardsUp } from '../kernel/shards/ask.ts'
import { deleteRegistered, updateRegistered } from '../kernel/shards/queries.ts'
import { parseCount } from './arguments.ts'
import { getShard, type OutputOptions, operate, withOutput } from './operate.ts'
import { type Confirmable, withYes } from './options.ts'
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
    .action((name: string, options: OutputOptions & { workspacesMax: number | 'none' }) => {
      const max = options.workspacesMax === 'none' ? null : options.workspacesMax
      return operate(options, (ctx) => setShard(ctx, name, max), showShards)
    })

  withYes(withOutput(shards.command('remove')), 'also one that does not answer, with all it has')
    .description('Take out a shard that has no workspaces any more')
    .argument('<shard>', 'its name')
    .action((name: string, options: OutputOptions & Confirmable) =>
      operate(
        options,
        (ctx) => removeShard(ctx, name, options.yes === true),
        ({ removed }) =>
          `${removed} was removed. Take it out of DATABASE_SHARDS and restart every process.`,
      ),
    )
}

/** Commander takes null for a value that is missing. */
const parseLimit = (text: string) => (text === 'none' ? text : parseCount(text))

async function setShard(ctx: ProcessContext, name: string, workspacesMax: number | null) {
  const changed = await updateRegistered(ctx.db, name, { workspaces_max: workspacesMax })
  if (!changed) throw noSuchShard()
  return { items: (await listShards(ctx)).filter((shard) => shard.name === name) }
}

async function removeShard(ctx: ProcessContext, name: string, isConfirmed: boolean) {
  if (name === firstShardName) {
    throw new AppError('not_ready', 'The first shard has the people who sign in: it stays.')
  }
  const shard = (await listShards(ctx)).find((one) => one.name === name)
  if (!shard) throw noSuchShard()
  const { workspaces, workspaces_max } = shard
  if (workspaces === null && !isConfirmed) {
    throw new AppError(
      'not_ready',
      `The shard ${name} does not answer, so nobody knows whether it has workspaces. With --yes it is removed all the same: what it has is then lost to this installation.`,
    )
  }
  // One that is emptied has the fewest, so that each new one would be made there.
  if (workspaces !== null && workspaces_max !== 0) {
    throw new AppError(
      'not_ready',
      `New workspaces go to the shard ${name} as long as it takes any: run "npx outrider shards set ${name} --workspaces-max 0" first.`,
    )
  }
  const ask = isConfirmed ? askShardsUp : askAllShards
  const leaving = (await ask(ctx, ({ db }) => listLeaving(db))).flat()
  const isTarget = leaving.some(({ moving_to, moved_to }) => moving_to === name && !moved_to)
  if (workspaces || isTarget) {
    throw new AppError(
      'not_ready',
      `The shard ${name} has workspaces, or one is being moved to it: move them to another one first, or take the moves back.`,
    )
  }
  if (workspaces === null) {
    await deleteRegistered(ctx.db, name)
    return { removed: name }
  }
  const { db } = getShard(ctx, name)
  if ((await listLeaving(db)).length > 0) {
    throw new AppError(
      'not_ready',
      `What was moved from the shard ${name} is kept there for an hour, or until it has arrived, and then deleted by a runner, which looks hourly: try again then. "outrider doctor" says of what has not arrived.`,
    )
  }
  await deleteRegistered(ctx.db, name)
  const instance = await findInstance(db)
  if (instance) await updateInstance(db, instance.id, { shard: null })
  return { removed: name }
}

const noSuchShard = () =>
  new AppError('not_found', 'There is no such shard; "outrider shards list" shows all.')

const showShards = ({ items }: { items: ShownShard[] }) =>
  items.length === 0
    ? 'There is one database, without shards.'
    : formatTable(
        ['shard', 'workspaces', 'at most'],
        items.map(({ name, workspaces, workspaces_max }) => [
          ...[name, workspaces ?? 'does not answer', workspaces_max ?? 'no limit'],
        ]),
      )
