import type { AfterCommit, ProcessContext } from '../../kernel/context.ts'
import { boundAs } from '../../kernel/db/db.ts'
import type { Session } from '../../kernel/db/session.ts'

/**
 * A transaction that is meant to be open while others are waited for: it has a connection of its own, and
 * holds no more than the lock of a move, and what nobody else sees.
 */
export async function inSession<T>(
  ctx: ProcessContext,
  { db }: Session,
  work: (tx: ProcessContext) => Promise<T>,
): Promise<T> {
  const effects: AfterCommit[] = []
  const tx = await db.startTransaction().execute()
  const afterCommit = (effect: AfterCommit) => void effects.push(effect)
  let result: T
  try {
    result = await work({ ...ctx, db: boundAs(db, tx), process: ctx, afterCommit })
    await tx.commit().execute()
  } catch (error) {
    // Its connection may be what is broken.
    await tx
      .rollback()
      .execute()
      .catch(() => undefined)
    throw error
  }
  for (const effect of effects) effect(ctx)
  return result
}
