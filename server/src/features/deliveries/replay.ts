import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { AppError, notFound } from '../../kernel/errors.ts'
import { isUnavailable } from '../../kernel/http/error-reply.ts'
import { firstIdAt, timeOfId } from '../../kernel/ids.ts'
import { bucketOf } from '../../kernel/runner/leases.ts'
import { allEvents, type Destination, findDestination } from '../webhooks/index.ts'
import { getWorkspace } from '../workspaces/index.ts'
import { pendingMax } from './backlog.ts'
import { clockLagMs } from './delivery.ts'
import { hintAfterCommit, lifetimeMs, rowsMax } from './enqueue.ts'
import * as queries from './replay-queries.ts'
import { keepReplayed } from './retention.ts'

/** Events that one statement looks at, of any type: it ends soon, however rare the one is that is wanted. */
const eventsReadMax = 50_000

/** Longer than a transaction that makes events takes to end. */
const underWayMs = 2_000

/** From `from` to before `to`. */
export interface ReplayWindow {
  from: Date
  to: Date
  /**
   * Before the window, too, what ended without success since then, and what was made shortly before it
   * for nobody: by transactions that were under way when the destination was switched off, or by a
   * process whose clock is behind.
   */
  endedFrom?: Date | undefined
  /** When the time before that it was off was over: what was made or ended until then was missed in that one. */
  previousTo?: Date | undefined
}

/** One delivery, which any attempt of it names, or its retry group. */
export type ReplayedDelivery = { attemptId: string } | { retryGroupId: string }

interface ReplayTarget {
  workspaceId: string
  webhookId: string
}

/** What was under way when the destination went on is for nobody, and not to be seen before it has ended. */
export async function waitForUnderWay({ now, sleep }: Context, { to, endedFrom }: ReplayWindow) {
  const aheadMs = endedFrom ? to.getTime() - now().getTime() : 0
  if (aheadMs > 0) await sleep(Math.min(aheadMs, underWayMs))
}

interface ReplaySteps {
  /** Before any is queued, of which there are so many: at most one more than can be. */
  onCounted?: (count: number) => Promise<unknown>
  /** In each transaction that has queued some of them. */
  onQueued?: (tx: Context, isFirst: boolean) => Promise<unknown>
}

/**
 * Delivers every stored event of a window that matches the subscription again: the same event ids, new
 * retry groups that start at attempt 0 and live 72 h.
 *
 * @returns how many deliveries were queued
 */
export async function replayEvents(
  ctx: Context,
  { workspaceId, webhookId }: ReplayTarget,
  window: ReplayWindow,
  { onCounted, onQueued }: ReplaySteps = {},
): Promise<number> {
  const destination = await getActiveDestination(ctx, workspaceId, webhookId)
  // All of them are read, once, before any is queued: their number may be more than there is room for.
  const ids: string[] = []
  for await (const read of eventsOf(ctx, destination, window, pendingMax + 1)) {
    ids.push(...read)
    if (ids.length > pendingMax) break
  }
  await onCounted?.(ids.length)
  let count = 0
  for (let at = 0; at < ids.length; at += rowsMax) {
    const isFirst = count === 0
    const chunk = ids.slice(at, at + rowsMax)
    const queue = enqueue(ctx, workspaceId, webhookId, chunk, (tx) => onQueued?.(tx, isFirst))
    count += await queue.catch((error) => {
      throw !isFirst && isUnavailable(error) ? brokenOff(count, ids.length, error) : error
    })
  }
  return count
}

const brokenOff = (count: number, of: number, cause: unknown) =>
  new AppError(
    'unavailable',
    `${count} of ${of} deliveries are queued, and then the database could not go on; the same replay queues these once more.`,
    { cause },
  )

/**
 * Delivers the event of one delivery again, as `replayEvents` does those of a window.
 *
 * @param onQueued called in the transaction that has queued it
 */
export async function replayDelivery(
  ctx: Context,
  { workspaceId, webhookId }: ReplayTarget,
  delivery: ReplayedDelivery,
  onQueued?: (tx: Context) => Promise<unknown>,
): Promise<number> {
  const attempt =
    'attemptId' in delivery
      ? await queries.findAttempt(ctx.db, workspaceId, delivery.attemptId)
      : await queries.findAttemptOfGroup(ctx.db, workspaceId, delivery.retryGroupId)
  if (attempt?.webhook_id !== webhookId) throw notFound('delivery')
  await getActiveDestination(ctx, workspaceId, webhookId)
  const queued = await enqueue(ctx, workspaceId, webhookId, [attempt.event_id], (tx) =>
    onQueued?.(tx),
  )
  if (queued === 0) throw eventNotStored()
  return queued
}

export interface ReplayCount {
  count: number
  /** There are at least as many: the time was over. */
  isEstimate: boolean
}

/**
 * How many events of a window match the subscription, whatever the state of the destination.
 *
 * @param budgetMs after which it is counted no further: all events of the window are read, however few match
 */
export async function countReplay(
  ctx: Context,
  { workspaceId, webhookId }: ReplayTarget,
  window: ReplayWindow,
  most: number,
  budgetMs = Number.POSITIVE_INFINITY,
): Promise<ReplayCount> {
  const destination = await findDestination(ctx.db, workspaceId, webhookId)
  if (!destination) throw notFound('webhook')
  const endMs = ctx.monotonicMs() + budgetMs
  let count = 0
  for await (const ids of eventsOf(ctx, destination, window, most)) {
    count += ids.length
    if (count >= most) return { count: most, isEstimate: false }
    if (ctx.monotonicMs() >= endMs) return { count, isEstimate: true }
  }
  return { count, isEstimate: false }
}

/** The events of a window that match the subscription, oldest first, at most so many at once. */
async function* eventsOf(
  ctx: Context,
  destination: Destination,
  { from, to, endedFrom, previousTo }: ReplayWindow,
  most: number,
) {
  const { workspace_id, id, event_type, campaign } = destination
  const filter = { type: event_type === allEvents ? null : event_type, campaign }
  const limits = { most, readMax: eventsReadMax }
  const ended = new Set<string>()
  const firstMsOf = (since: Date) =>
    Math.max(since.getTime() - clockLagMs, previousTo?.getTime() ?? 0)
  let afterAttempt = endedFrom ? firstIdAt(new Date(firstMsOf(endedFrom))) : null
  while (afterAttempt !== null) {
    const read: queries.EventsRead = await queries.listEndedEvents(
      ctx.db,
      { workspaceId: workspace_id, webhookId: id },
      filter,
      { afterAttempt, before: firstIdAt(from) },
      limits,
    )
    // One that was replayed may have ended twice.
    const fresh = [...new Set(read.ids)].filter((each) => !ended.has(each))
    for (const each of fresh) ended.add(each)
    yield fresh
    afterAttempt = read.position
  }
  const between = async function* (first: string, before: Date) {
    let after: string | null = first
    while (after !== null) {
      const range = { after, before: firstIdAt(before) }
      const read: queries.EventsRead = await queries.listEventsBetween(
        ctx.db,
        workspace_id,
        filter,
        range,
        limits,
      )
      yield read.ids
      after = read.position
    }
  }
  if (endedFrom) {
    // What was made before the destination was not for it.
    const firstMs = Math.max(firstMsOf(from), timeOfId(id).getTime())
    for await (const ids of between(firstIdAt(new Date(firstMs)), from)) {
      // What waited when the destination was switched off may be delivered since it goes on.
      const delivered = await queries.findEventsWithDelivery(ctx.db, destination, ids, {
        after: firstIdAt(new Date(from.getTime() - 2 * clockLagMs)),
        before: firstIdAt(new Date(to.getTime() + clockLagMs)),
      })
      yield ids.filter((each) => !ended.has(each) && !delivered.has(each))
    }
  }
  yield* between(firstIdAt(from), to)
}

async function getActiveDestination(ctx: Context, workspaceId: string, webhookId: string) {
  const destination = await findDestination(ctx.db, workspaceId, webhookId)
  if (!destination) throw notFound('webhook')
  if (destination.status !== 'active') {
    throw new AppError('invalid_transition', 'The webhook is disabled; activate it, then replay.')
  }
  // The command is at no door: what it queued would end as for a disabled destination.
  if ((await getWorkspace(ctx, workspaceId)).plan_webhooks) return destination
  throw new AppError(
    'plan_required',
    'The workspace\'s plan does not include webhooks; switch them on by "outrider workspaces set-plan", then replay.',
  )
}

const eventNotStored = () =>
  new AppError(
    'not_found',
    'The event of this delivery is no longer stored; replay a delivery of a newer one.',
  )

/** @returns how many were queued: those whose events are still stored */
const enqueue = (
  ctx: Context,
  workspaceId: string,
  webhookId: string,
  eventIds: string[],
  onQueued: (tx: Context) => Promise<unknown> | undefined,
) =>
  transaction(ctx, async (tx) => {
    const now = tx.now()
    const rows = eventIds.map((eventId) => ({
      id: tx.newId(),
      bucket: bucketOf(webhookId),
      webhook_id: webhookId,
      event_id: eventId,
    }))
    const expiresAt = new Date(now.getTime() + lifetimeMs)
    const queued = await queries.insertReplays(tx.db, workspaceId, rows, now, expiresAt)
    if (queued === 0) return 0
    hintAfterCommit(tx, workspaceId, rows)
    await onQueued(tx)
    await keepReplayed(tx, eventIds, expiresAt)
    return queued
  })
