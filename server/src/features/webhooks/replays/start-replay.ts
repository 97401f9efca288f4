import type { Context } from '../../../kernel/context.ts'
import { untilStored } from '../../../kernel/db/until-stored.ts'
import { AppError, notFound } from '../../../kernel/errors.ts'
import { describeError } from '../../../kernel/log.ts'
import type { ChangedBy } from '../../audit/index.ts'
import {
  clockLagMs,
  countPending,
  countReplay,
  pendingMax,
  type ReplayedDelivery,
  type ReplayWindow,
  replayDelivery,
  replayEvents,
  waitForUnderWay,
} from '../../deliveries/index.ts'
import { lockLane } from '../../deliveries/lane-health/index.ts'
import { findMissedPeriods, findPreviousTo, forgetMissed } from '../missed-periods.ts'
import { findWebhook } from '../queries.ts'
import { recordWebhookChange } from '../webhooks.ts'

/** The events of a window, or one delivery. */
export type Selection = ReplayWindow | ReplayedDelivery

/** Counted one past what can be replayed at once. */
export const countWindow = (
  ctx: Context,
  workspaceId: string,
  webhookId: string,
  window: ReplayWindow,
  budgetMs: number,
) => countReplay(ctx, { workspaceId, webhookId }, window, pendingMax + 1, budgetMs)

/** Events of the moment in which it goes on may be meant for nobody: twice is better than never. */
const overlapMs = 5_000

/**
 * What a webhook has missed while it was disabled: every event since, and before that what ended without
 * success since it failed, by its tries, its age or for being too many. What still waits is sent by
 * itself. Of one that goes on it stays known until it is replayed, or nothing of it is stored any more:
 * the oldest period that has something.
 */
export async function countMissed(
  ctx: Context,
  workspaceId: string,
  webhookId: string,
  budgetMs = Number.POSITIVE_INFINITY,
) {
  const row = await findWebhook(ctx.db, workspaceId, webhookId)
  if (!row) throw notFound('webhook')
  const isOff = row.timestamp_disabled !== null
  const endMs = ctx.monotonicMs() + budgetMs
  for (const period of await findMissedPeriods(ctx, row)) {
    const leftMs = endMs - ctx.monotonicMs()
    const found = await countWindow(ctx, workspaceId, webhookId, period, leftMs)
    if (isOff || found.count > 0 || found.isEstimate) {
      const { from, endedFrom: ended_from = null } = period
      const to = isOff ? null : new Date(period.to.getTime() + overlapMs)
      return { deliveries: found.count, is_estimate: found.isEstimate, from, to, ended_from }
    }
    // Before that, events that were made while it was off may not be committed yet.
    const isComplete = ctx.now().getTime() > period.to.getTime() + clockLagMs
    // While the workspace is moved nothing is written, and reading goes on: the next look lets go of it.
    if (isComplete) await forgetMissed(ctx, workspaceId, webhookId, period).catch(() => undefined)
  }
  return { deliveries: 0, is_estimate: false, from: null, to: null, ended_from: null }
}

/** @returns how many deliveries were queued */
export const startReplay = (
  ctx: Context,
  workspaceId: string,
  webhookId: string,
  selection: Selection,
  by: ChangedBy,
): Promise<number> =>
  'from' in selection
    ? startWindow(ctx, workspaceId, webhookId, selection, by)
    : startDelivery(ctx, workspaceId, webhookId, selection, by)

/**
 * Each chunk is queued in a transaction of its own, so that a large window holds nothing up. The audit
 * log has it with the first: a replay that ends half-way was begun all the same.
 */
async function startWindow(
  ctx: Context,
  workspaceId: string,
  webhookId: string,
  window: ReplayWindow,
  by: ChangedBy,
): Promise<number> {
  await waitForUnderWay(ctx, window)
  const previousTo = await findPreviousTo(ctx, workspaceId, webhookId, window.from)
  const row = { workspace_id: workspaceId, id: webhookId }
  let deliveries = 0
  const queued = await replayEvents(
    ctx,
    { workspaceId, webhookId },
    { ...window, previousTo },
    {
      async onCounted(count) {
        deliveries = count
        await requireRoom(ctx, workspaceId, webhookId, count)
      },
      async onQueued(tx, isFirst) {
        const details = { ...timesOf(window), deliveries: String(deliveries) }
        if (isFirst) await recordWebhookChange(tx, row, 'webhook.replayed', by, details)
        await keepRoom(tx, workspaceId, webhookId)
      },
    },
  )
  // They are queued: who is told of a failure queues them once more.
  const forget = () => forgetMissed(ctx, workspaceId, webhookId, window)
  await untilStored(ctx, forgetForMs, forget).catch((error) =>
    ctx.log.warn(
      { webhook: webhookId, ...describeError(error) },
      'what a webhook has missed was replayed, and is still offered',
    ),
  )
  return queued
}

const forgetForMs = 5_000

const timesOf = ({ from, to, endedFrom }: ReplayWindow) => ({
  ...{ from: from.toISOString(), to: to.toISOString() },
  ...(endedFrom ? { ended_from: endedFrom.toISOString() } : {}),
})

function startDelivery(
  ctx: Context,
  workspaceId: string,
  webhookId: string,
  delivery: ReplayedDelivery,
  by: ChangedBy,
): Promise<number> {
  const row = { workspace_id: workspaceId, id: webhookId }
  const named =
    'attemptId' in delivery
      ? { webhook_event_id: delivery.attemptId }
      : { retry_group_id: delivery.retryGroupId }
  const details = { ...named, deliveries: '1' }
  return replayDelivery(ctx, { workspaceId, webhookId }, delivery, (tx) =>
    recordWebhookChange(tx, row, 'webhook.replayed', by, details),
  )
}

/** What is more than may wait for a destination ends undelivered, what has waited longest first. */
async function requireRoom(ctx: Context, workspaceId: string, webhookId: string, count: number) {
  if (count > pendingMax) throw tooMany()
  const [waiting] = await countPending(ctx.db, workspaceId, [webhookId])
  if (waiting && count + waiting.count > pendingMax) throw tooManyWithWaiting()
}

/** Others may have queued as much since: what they have committed is counted, and the rest waits here. */
async function keepRoom(tx: Context, workspaceId: string, webhookId: string) {
  await lockLane(tx.db, workspaceId, webhookId)
  const [waiting] = await countPending(tx.db, workspaceId, [webhookId])
  if (waiting && waiting.count > pendingMax) throw tooManyWithWaiting()
}

const tooMany = () =>
  new AppError(
    'quota_exceeded',
    'A replay delivers at most 100,000 events; choose a shorter window, and the next one afterwards.',
  )

const tooManyWithWaiting = () =>
  new AppError(
    'quota_exceeded',
    'With what still waits for the webhook that is more than 100,000 events; replay once fewer wait, or choose a shorter window.',
  )
