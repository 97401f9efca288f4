import type { ProcessContext } from '../../../kernel/context.ts'
import { AppError } from '../../../kernel/errors.ts'
import { askAllShards, askShardsUp } from '../../../kernel/shards/ask.ts'
import { confirmRestore, holdSending, previewRestore } from './sending-hold.ts'

export type HeldShard = NonNullable<Awaited<ReturnType<typeof previewRestore>>> & {
  ctx: ProcessContext
}

/** The databases on which sending is held, of those that answer, each with what leaves it when that ends. */
export async function listHeld(ctx: ProcessContext): Promise<HeldShard[]> {
  const previews = await askShardsUp(ctx, async (shard) => {
    const preview = await previewRestore(shard)
    return preview ? [{ ...preview, ctx: shard }] : []
  })
  return previews.flat()
}

/**
 * Holds all sending, of every database.
 *
 * @throws AppError `unavailable`, which names one that does not answer and may go on
 */
export async function holdAll(ctx: ProcessContext) {
  const [hold] = await askAllShards(ctx, holdSending)
  if (!hold) throw new Error('There is no database.')
  return hold
}

/** Ends what `listHeld` told of. A person has looked. */
export async function confirmHeld(held: HeldShard[]): Promise<{ uncertain: number }> {
  if (held.length === 0) {
    throw new AppError('invalid_transition', 'Sending is not held: there is nothing to confirm.')
  }
  let uncertain = 0
  for (const { ctx } of held) uncertain += (await confirmRestore(ctx)).uncertain
  return { uncertain }
}
