import type { Context } from '../../kernel/context.ts'
import { hintDue } from '../../kernel/runner/hint.ts'
import { bucketOf } from '../../kernel/runner/leases.ts'
import { allEvents, findSubscribers } from '../webhooks/index.ts'
import * as queries from './queries.ts'

export interface EventToDeliver {
  id: string
  type: string
  campaign_id: string | null
}

/** Nothing is attempted later than this after the event or its replay. */
export const lifetimeMs = 72 * 3_600_000

/** Rows of one transaction: some 50 ms, at 25 µs each (measured). */
export const rowsMax = 2000
/** An event of so few has them written with it, up to `directRowsMax`: expanding it costs more. */
const fewDestinations = 10
/** Some 250 ms, for which the caller's locks are held. */
const directRowsMax = 10_000

/**
 * Writes one delivery per event and matching active destination, in the caller's transaction. Where
 * that would be too many rows, it writes a fan-out of each event that has more than a few, and of all
 * once very many rows were written; a runner expands them in chunks. A fan-out names its destinations,
 * because they may be changed or disabled before it is expanded.
 */
export async function enqueueDeliveries(
  tx: Context,
  workspaceId: string,
  events: EventToDeliver[],
) {
  const types = [...new Set(events.map((event) => event.type))]
  const subscribers = await findSubscribers(tx.db, workspaceId, types)
  const matched = events
    .map((event) => ({
      event,
      webhookIds: subscribers.filter((one) => matches(one, event)).map(({ id }) => id),
    }))
    .filter(({ webhookIds }) => webhookIds.length > 0)
  if (matched.length === 0) return
  const now = tx.now()
  const expiresAt = new Date(now.getTime() + lifetimeMs)
  const rowCount = matched.reduce((sum, { webhookIds }) => sum + webhookIds.length, 0)
  let directRows = 0
  const { direct = [], fannedOut = [] } = Object.groupBy(matched, ({ webhookIds: { length } }) => {
    if (rowCount > rowsMax && (length > fewDestinations || directRows + length > directRowsMax)) {
      return 'fannedOut'
    }
    directRows += length
    return 'direct'
  })
  if (fannedOut.length > 0) {
    const fanouts = fannedOut.map(({ event, webhookIds }) => ({
      event_id: event.id,
      bucket: bucketOf(event.id),
      webhook_ids: webhookIds,
    }))
    await queries.insertFanouts(tx.db, workspaceId, fanouts, now, expiresAt)
    const buckets = fanouts.map(({ bucket }) => bucket)
    tx.afterCommit?.((ctx) => hintDue(ctx, { kind: fanoutKind, buckets }))
  }
  if (direct.length > 0) {
    const rows = direct.flatMap(({ event, webhookIds }) =>
      webhookIds.map((webhookId) => ({
        id: tx.newId(),
        bucket: bucketOf(webhookId),
        webhook_id: webhookId,
        event_id: event.id,
      })),
    )
    await queries.insertDeliveries(tx.db, workspaceId, rows, now, expiresAt)
    hintAfterCommit(tx, workspaceId, rows)
  }
}

/** The kind of the leases on destinations and fan-outs, and of hints to the former. */
export const leaseKind = 'deliveries'
/** Of hints to the owners of fan-outs. */
export const fanoutKind = 'fanouts'

/** Wakes the destinations of these deliveries. */
export function hintAfterCommit(tx: Context, workspaceId: string, rows: { webhook_id: string }[]) {
  const lanes = rows.map(({ webhook_id }) => ({ workspaceId, id: webhook_id }))
  tx.afterCommit?.((ctx) => hintDue(ctx, { kind: leaseKind, lanes }))
}

/** Without a campaign a destination receives every event of the workspace. */
const matches = (
  subscriber: { event_type: string; campaign: string | null },
  event: { type: string; campaign_id: string | null },
) =>
  (subscriber.event_type === allEvents || subscriber.event_type === event.type) &&
  (subscriber.campaign === null || subscriber.campaign === event.campaign_id)
