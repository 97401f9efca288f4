import { type AfterCommit, type AnyContext, processOf } from '../context.ts'
import { boundAs } from './db.ts'

/** For what is lost, or true too early, when it is written apart from the change that it belongs to. */
export function requireTransaction(tx: AnyContext) {
  if (!tx.db.isTransaction) throw new Error('This is done only in the transaction of a change.')
}

/**
 * Runs `work` in one transaction and gives it the same context with `db` replaced, bound as before.
 * Inside an open transaction it joins that one, so a rule may be used alone or as part of another.
 */
export async function transaction<Ctx extends AnyContext, T>(
  ctx: Ctx,
  work: (tx: Ctx) => Promise<T>,
): Promise<T> {
  if (ctx.db.isTransaction) return work(ctx)
  const effects: AfterCommit[] = []
  const afterCommit = (effect: AfterCommit) => void effects.push(effect)
  const result = await ctx.db
    .transaction()
    .execute((tx) => work({ ...ctx, db: boundAs<Ctx['db']>(ctx.db, tx), afterCommit }))
  for (const effect of effects) effect(processOf(ctx))
  return result
}
