import type { ProcessContext } from '../context.ts'

// For what may lie on any of the databases, where there is one as well as where there are several.

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

/** @throws AppError `unavailable`, which names the one that does not answer */
export const askAllShards = async <T>(
  ctx: ProcessContext,
  ask: (shard: ProcessContext) => Promise<T>,
): Promise<T[]> =>
  ctx.shards
    ? (await ctx.shards.askAll((shard) => ask(shard.ctx))).map(({ answer }) => answer)
    : [await ask(ctx)]
