import { inWorkspace, type ProcessContext } from '../../kernel/context.ts'
import { sha256 } from '../../kernel/crypto.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { hintDue } from '../../kernel/runner/hint.ts'
import { bucketOf } from '../../kernel/runner/leases.ts'
import { type FanoutKey, findDueFanouts } from './cross-workspace.ts'
import { fanoutKind, hintAfterCommit, rowsMax } from './enqueue.ts'
import * as queries from './queries.ts'

/** Some seconds' work: to find them all workspaces are looked at. */
const fanoutsOfLookMax = 1_000
const expandMs = 1_000

/**
 * Expands what is due in the buckets that are looked at and owned, and tells the owners of the others.
 *
 * @returns whether there may be more
 */
export async function expandDueFanouts(
  ctx: ProcessContext,
  { watched, owned }: { watched: number[]; owned: number[] },
): Promise<boolean> {
  if (watched.length === 0) return false
  const own = new Set(owned)
  const due = await findDueFanouts(ctx.db, watched, ctx.now(), fanoutsOfLookMax)
  const [ours, others] = [true, false].map((isOurs) =>
    due.filter(({ event_id }) => own.has(bucketOf(event_id)) === isOurs),
  ) as [FanoutKey[], FanoutKey[]]
  if (others.length > 0) {
    hintDue(ctx, { kind: fanoutKind, buckets: others.map(({ event_id }) => bucketOf(event_id)) })
  }
  const areAll = await expandFanouts(ctx, ours)
  return !areAll || (due.length === fanoutsOfLookMax && ours.length > 0)
}

/**
 * Expands these one after the other, for a second at most: what another workspace has put in meanwhile
 * has its turn in the next look.
 *
 * @returns whether all were expanded
 */
export async function expandFanouts(ctx: ProcessContext, fanouts: FanoutKey[]): Promise<boolean> {
  const untilMs = ctx.monotonicMs() + expandMs
  for (const fanout of fanouts) {
    if (ctx.monotonicMs() >= untilMs) return false
    await expandFanout(ctx, fanout)
  }
  return true
}

/**
 * Expands one event to its destinations, a chunk per transaction, in the order of their ids. Rows and
 * position are written in one transaction: a chunk is written once, however many runners try, and
 * after a crash the next runner goes on with the next chunk.
 */
async function expandFanout(
  process: ProcessContext,
  { workspace_id: workspaceId, event_id: eventId }: FanoutKey,
) {
  const ctx = inWorkspace(process, workspaceId)
  const fanout = await queries.findFanout(ctx.db, workspaceId, eventId)
  if (!fanout) return
  const { webhook_ids: webhookIds } = fanout
  let after = fanout.after_webhook_id
  for (;;) {
    const position = after
    const chunk = webhookIds.filter((id) => position === null || id > position).slice(0, rowsMax)
    const last = chunk.at(-1)
    if (last === undefined) break
    const advanced = await transaction(ctx, async (tx) => {
      if (!(await queries.advanceFanout(tx.db, workspaceId, eventId, position, last))) return false
      const rows = chunk.map((webhookId) => ({
        id: deliveryIdOf(eventId, webhookId),
        bucket: bucketOf(webhookId),
        webhook_id: webhookId,
        event_id: eventId,
      }))
      await queries.insertDeliveries(tx.db, workspaceId, rows, fanout.due_at, fanout.expires_at)
      hintAfterCommit(tx, workspaceId, rows)
      return true
    })
    if (!advanced) return
    after = last
  }
  await queries.deleteFanout(ctx.db, workspaceId, eventId)
}

/** The time of the event's UUIDv7, then a hash of both ids: writing a chunk again makes the same ids. */
function deliveryIdOf(eventId: string, webhookId: string): string {
  const hash = sha256(`${eventId} ${webhookId}`).toString('hex')
  return `${eventId.slice(0, 14)}7${hash.slice(0, 3)}-8${hash.slice(3, 6)}-${hash.slice(6, 18)}`
}
