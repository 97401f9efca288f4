import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { type Attempt, attemptOf } from './delivery.ts'
import type { Lane } from './lane.ts'
import { keepLanePlan } from './lane-queries.ts'
import * as queries from './queries.ts'
import { type Settlement, settle } from './settle.ts'
import { deleteEnded } from './settle-queries.ts'

/**
 * Deliveries that end without an attempt: each leaves a closing record (contract §4), unless its event
 * is no longer stored. Kept, such a one would be waited for by the retention of events for ever.
 */

const chunk = 5000
/** Of a backlog: they are in memory meanwhile. */
const closedAtOnceMax = 50_000

/** The runner that closes them. */
export interface Closer {
  countStripe: number
  /** Called once per closing record that was written. */
  onAttempt?: (attempt: Attempt) => void
}

export type ClosingReason =
  | 'expired'
  | 'destination_disabled'
  | 'destination_deleted'
  | 'backlog_full'

/** Past their 72 h. */
export async function closeExpired(
  ctx: Context,
  lane: Lane,
  reason: ClosingReason,
  closer: Closer,
  url = lane.destination?.url,
) {
  for (;;) {
    const { workspaceId, webhookId } = lane
    const rows = await queries.listExpired(ctx.db, workspaceId, webhookId, ctx.now(), chunk)
    await close(ctx, lane, rows, reason, closer, url)
    if (rows.length < chunk) return
  }
}

/** @returns whether the deleted destination has more deliveries, for another call */
export async function closeDeleted(
  ctx: Context,
  lane: Lane,
  url: string | undefined,
  closer: Closer,
): Promise<boolean> {
  const rows = await queries.listPending(ctx.db, lane.workspaceId, lane.webhookId, chunk)
  await close(ctx, lane, rows, 'destination_deleted', closer, url)
  return rows.length === chunk
}

/**
 * Closes the oldest `excess` deliveries of a destination that holds too many; they can be replayed.
 * What is taken stays, though it may be older: it ends by itself. Of very many the rest is closed by
 * the next call.
 *
 * @returns how many ended
 */
export async function closeBacklog(ctx: Context, lane: Lane, excess: number, closer: Closer) {
  const { workspaceId, webhookId } = lane
  const most = Math.min(excess, closedAtOnceMax)
  const oldest = await transaction(ctx, async ({ db }) => {
    await keepLanePlan(db)
    return queries.listOldest(db, workspaceId, webhookId, most + lane.takenCount)
  })
  const rows = oldest.filter(({ id }) => !lane.hasTaken(id)).slice(0, most)
  let ended = 0
  for (let at = 0; at < rows.length; at += chunk) {
    ended += await close(ctx, lane, rows.slice(at, at + chunk), 'backlog_full', closer)
  }
  if (ended > 0) {
    ctx.log.warn(
      { workspace: workspaceId, webhook: webhookId, ended },
      'a destination had more deliveries waiting than are kept: the oldest ended, and can be replayed',
    )
  }
  return ended
}

/** The delivery whose request ended the process again and again. */
export async function closeSuspect(ctx: Context, lane: Lane, deliveryId: string, closer: Closer) {
  const { workspaceId, webhookId } = lane
  const row = await queries.findPending(ctx.db, workspaceId, webhookId, deliveryId)
  if (row) await close(ctx, lane, [row], 'network_error: the request ended its process', closer)
}

/** @returns how many were closed */
async function close(
  ctx: Context,
  lane: Lane,
  rows: queries.DeliveryToClose[],
  reason: string,
  closer: Closer,
  url = lane.destination?.url,
) {
  // A delivery in flight is settled by its own result, which needs the row.
  const closable = rows.filter((row) => !lane.hasTaken(row.id))
  if (closable.length === 0) return 0
  const orphans = closable.filter((row) => row.event_type === null)
  const webhookUrl = url ?? (await queries.findUrl(ctx.db, lane.workspaceId, lane.webhookId)) ?? ''
  const settlements = closable.filter(hasEvent).map(
    (row): Settlement => ({
      attempt: closingRecord(ctx, lane, row, reason, webhookUrl),
      clearsLane: false,
      laneNotBefore: null,
      disable: null,
    }),
  )
  const recorded = await transaction(ctx, async (tx) => {
    const batch = await settle(tx, settlements, closer.countStripe)
    const keys = orphans.map(({ id }) => ({ workspace_id: lane.workspaceId, id, seen: null }))
    await deleteEnded(tx.db, keys)
    return batch
  })
  for (const attempt of recorded.values()) closer.onAttempt?.(attempt)
  return closable.length
}

type WithEvent = queries.DeliveryToClose & { event_type: string }

const hasEvent = (row: queries.DeliveryToClose): row is WithEvent => row.event_type !== null

function closingRecord(
  ctx: Context,
  { workspaceId, webhookId }: Lane,
  { id, event_id, event_type, campaign_id, lead_email, attempt }: WithEvent,
  reason: string,
  url: string,
): Attempt {
  const place = {
    ...{ workspace_id: workspaceId, webhook_id: webhookId, webhook_url: url },
    ...{ retry_group_id: id, retry_count: attempt, timestamp_next_retry: null },
  }
  const event = { id: event_id, type: event_type, campaign_id, lead_email }
  return attemptOf(ctx, place, event, { ...notMade, error_message: reason })
}

const notMade = { status_code: null, success: false, response_time_ms: null, response_body: null }
