import type { Context } from '../../kernel/context.ts'
import { findAbandonedReplies } from './cross-workspace.ts'
import { abandonedBefore, giveUp } from './reply-ledger.ts'

/** Replies whose process ended in the middle of them: a person has to see what became of them. */
export async function giveUpReplies(ctx: Context) {
  for (const reply of await findAbandonedReplies(ctx.db, abandonedBefore(ctx))) {
    await giveUp(ctx, reply)
  }
}
