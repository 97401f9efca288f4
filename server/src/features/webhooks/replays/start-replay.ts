import type { Context } from '../../../kernel/context.ts'
import { AppError, notFound } from '../../../kernel/errors.ts'
import { countReplay, pendingMax, type ReplayWindow, replay } from '../../deliveries/index.ts'
import { listLaneHealth } from '../health/index.ts'
import { findWebhook } from '../queries.ts'
import { type By, record } from '../webhooks.ts'

/** The events of a window, or one delivery. */
export type Selection = ReplayWindow | { attemptId: string }

/** Counted one past what can be replayed at once. */
export const countWindow = (
  ctx: Context,
  workspaceId: string,
  webhookId: string,
  window: ReplayWindow,
): Promise<number> => countReplay(ctx, { workspaceId, webhookId, ...window }, pendingMax + 1)

/**
 * What a disabled webhook has missed: every event since, and before that what ended without success
 * since it failed, by its tries, its age or for being too many. What still waits is sent by itself.
 */
export async function countMissed(ctx: Context, workspaceId: string, webhookId: string) {
  const row = await findWebhook(ctx.db, workspaceId, webhookId)
  if (!row) throw notFound('webhook')
  const { timestamp_disabled: from } = row
  if (!from) return { deliveries: 0, from: null, ended_from: null }
  const [lane] = await listLaneHealth(ctx.db, workspaceId, [webhookId])
  const ended_from = lane?.failing_since ?? from
  const window = { from, to: ctx.now(), endedFrom: ended_from }
  return { deliveries: await countWindow(ctx, workspaceId, webhookId, window), from, ended_from }
}

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
    const count = await countWindow(ctx, workspaceId, webhookId, selection)
    // What is more than may wait for a destination would end undelivered.
    if (count > pendingMax) throw tooMany()
  }
  const deliveries = await replay(ctx, { workspaceId, webhookId, ...selection })
  const window =
    'from' in selection
      ? {
          from: selection.from.toISOString(),
          to: selection.to.toISOString(),
          ...(selection.endedFrom ? { ended_from: selection.endedFrom.toISOString() } : {}),
        }
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
