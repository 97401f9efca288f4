import { firstShardName } from '../../config.ts'
import type { AnyContext, ProcessContext } from '../context.ts'
import { shareFor } from '../share-for.ts'
import { listRegistered } from './queries.ts'
import { unknownShard } from './shards.ts'

// For what may lie on any of the databases, where there is one as well as where there are several.

/** The only database goes by the name of the first, which its context does not say. */
export const shardNameOf = ({ shard = firstShardName }: Pick<ProcessContext, 'shard'>) => shard

/**
 * Where something lies that no workspace is known of yet, such as an invitation.
 *
 * @throws AppError `unavailable` when none has it and one did not answer
 */
export async function findOnShards<T>(
  ctx: ProcessContext,
  ask: (shard: ProcessContext) => Promise<T | undefined>,
): Promise<{ ctx: ProcessContext; found: T } | undefined> {
  if (!ctx.shards) {
    const found = await ask(ctx)
    return found === undefined ? undefined : { ctx, found }
  }
  const answered = await ctx.shards.find((shard) => ask(shard.ctx))
  return answered && { ctx: answered.shard.ctx, found: answered.answer }
}

/** What those of them say that answer soon: a list is shorter while one is down. */
export const askShardsUp = async <T>(
  ctx: ProcessContext,
  ask: (shard: ProcessContext) => Promise<T>,
): Promise<T[]> =>
  ctx.shards
    ? (await ctx.shards.askThoseUp((shard) => ask(shard.ctx))).map(({ answer }) => answer)
    : [await ask(ctx)]

/** @param answers of `askShardsUp` */
export const haveAllAnswered = ({ shards }: AnyContext, answers: unknown[]): boolean =>
  answers.length === (shards?.names.length ?? 1)

/** @throws AppError `unavailable`, which names the one that does not answer */
export const askAllShards = async <T>(
  ctx: ProcessContext,
  ask: (shard: ProcessContext) => Promise<T>,
): Promise<T[]> =>
  ctx.shards
    ? (await ctx.shards.askAll((shard) => ask(shard.ctx))).map(({ answer }) => answer)
    : [await ask(ctx)]

/**
 * Before something that no shard has is called unknown: it may lie on one that was registered since
 * this process started. The registry is read at most once in `registryMs`.
 *
 * @param ctx of the first shard
 * @throws AppError `unavailable`, which names the one that is missing here
 */
export function createShardCheck(ctx: ProcessContext) {
  const known = ctx.shards?.names ?? [firstShardName]
  const registered = shareFor(registryMs, ({ db }) => listRegistered(db))
  return async () => {
    const missing = (await registered(ctx)).find(({ name }) => !known.includes(name))
    if (missing) throw unknownShard(missing.name)
  }
}

const registryMs = 1000
