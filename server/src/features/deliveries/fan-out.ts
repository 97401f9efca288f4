import { inWorkspace, type ProcessContext } from '../../kernel/context.ts'
import { sha256 } from '../../kernel/crypto.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { bucketOf } from '../../kernel/runner/leases.ts'
import type { DueFanout } from './cross-workspace.ts'
import { hintAfterCommit, rowsMax } from './enqueue.ts'
import * as queries from './queries.ts'

/**
 * Expands one event to its destinations, a chunk per transaction, in the order of their ids. Rows and
 * position are written in one transaction: a chunk is written once, however many runners try, and
 * after a crash the next runner goes on with the next chunk.
 */
export async function expandFanout(process: ProcessContext, fanout: DueFanout) {
  const { workspace_id: workspaceId, event_id: eventId, webhook_ids: webhookIds } = fanout
  const ctx = inWorkspace(process, workspaceId)
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
