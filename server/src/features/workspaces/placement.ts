import type { ProcessContext } from '../../kernel/context.ts'
import { AppError } from '../../kernel/errors.ts'
import { listRegistered, type RegisteredShard } from '../../kernel/shards/queries.ts'
import { countWorkspaces } from './queries.ts'

/** A shard as an operator sees it. */
export interface ShownShard {
  name: string
  /** Null while it does not answer. */
  workspaces: number | null
  /** Null: no limit. */
  workspaces_max: number | null
}

/** Empty where there is one database. */
export async function listShards(ctx: ProcessContext): Promise<ShownShard[]> {
  if (!ctx.shards) return []
  const registered = await listRegistered(ctx.shards.first.ctx.db)
  const counts = await ctx.shards.askThoseUp((shard) => countWorkspaces(shard.ctx.db))
  return registered.map(({ name, workspaces_max }: RegisteredShard) => ({
    ...{ name, workspaces_max },
    workspaces: counts.find(({ shard }) => shard.name === name)?.answer ?? null,
  }))
}

/**
 * The database for a new workspace: the one that is named, else that with the fewest workspaces of
 * those that answer and have room.
 *
 * @throws AppError with what to do when there is no room, no such shard, or it does not answer
 */
export async function chooseShard(ctx: ProcessContext, name?: string): Promise<ProcessContext> {
  const { shards } = ctx
  if (!shards && name !== undefined) {
    throw new AppError('not_ready', 'There is one database, without shards: leave the shard out.')
  }
  if (!shards) return ctx
  const wanted = name === undefined ? undefined : shards.byName(name)
  const listed = await listShards(ctx)
  if (listed.some((shard) => shard.name === wanted?.name && shard.workspaces === null)) {
    throw new AppError(
      'unavailable',
      `The shard ${name} does not answer, so nobody knows whether it has room; try again shortly.`,
    )
  }
  const withRoom = listed.filter(
    ({ workspaces, workspaces_max: max }) => workspaces !== null && workspaces < (max ?? Infinity),
  )
  const [fewest] = withRoom.toSorted((a, b) => (a.workspaces ?? 0) - (b.workspaces ?? 0))
  const chosen = wanted ? withRoom.find((shard) => shard.name === wanted.name) : fewest
  if (chosen) return shards.byName(chosen.name).ctx
  const full = wanted
    ? `The shard ${wanted.name} takes no more workspaces: raise its limit`
    : 'No shard that answers has room for another workspace: raise a limit'
  throw new AppError(
    'not_ready',
    `${full} with "npx outrider shards set NAME --workspaces-max N", or add a shard.`,
  )
}
