import type { Context } from '../../../kernel/context.ts'
import { AppError } from '../../../kernel/errors.ts'
import { countReplay, pendingMax, replay } from '../../deliveries/index.ts'
import { type By, record } from '../webhooks.ts'

/** The events of a window, or one delivery. */
export type Selection = { from: Date; to: Date } | { attemptId: string }

/** Counted one past what can be replayed at once. */
export const countMissed = (
  ctx: Context,
  workspaceId: string,
  webhookId: string,
  window: { from: Date; to: Date },
): Promise<number> => countReplay(ctx, { workspaceId, webhookId, ...window }, pendingMax + 1)

/**
 * Each chunk is queued in a transaction of its own, so that a large window holds nothing up.
 *
 * @returns how many deliveries were queued
 */
export async function startReplay(
  ctx: Context,
  workspaceId: string,
  webhookId: string,
  selection: Selection,
  by: By,
): Promise<number> {
  if ('from' in selection) {
    const count = await countMissed(ctx, workspaceId, webhookId, selection)
    // What is more than may wait for a destination would end undelivered.
    if (count > pendingMax) throw tooMany()
  }
  const deliveries = await replay(ctx, { workspaceId, webhookId, ...selection })
  const window =
    'from' in selection
      ? { from: selection.from.toISOString(), to: selection.to.toISOString() }
      : { webhook_event_id: selection.attemptId }
  const row = { workspace_id: workspaceId, id: webhookId }
  await record(ctx, row, 'webhook.replayed', by, { ...window, deliveries: String(deliveries) })
  return deliveries
}

const tooMany = () =>
  new AppError(
    'quota_exceeded',
    'A replay delivers at most 100,000 events; choose a shorter window, and the next one afterwards.',
  )
