import type { Context, Effect } from '../context.ts'

/**
 * Runs `work` in one transaction and gives it the same context with `db` replaced. Inside an open
 * transaction it joins that one, so a rule may be used alone or as part of another.
 */
export async function transaction<T>(ctx: Context, work: (tx: Context) => Promise<T>): Promise<T> {
  if (ctx.db.isTransaction) return work(ctx)
  const effects: Effect[] = []
  const result = await ctx.db
    .transaction()
    .execute((db) => work({ ...ctx, db, afterCommit: (effect) => void effects.push(effect) }))
  for (const effect of effects) effect(ctx)
  return result
}
