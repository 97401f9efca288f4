import { sql, type Updateable } from 'kysely'
import type { Db } from '../../../kernel/db/db.ts'
import type { WebhookLanes } from '../../../kernel/db/types.gen.ts'

// What a change of a destination does to its row in `webhook_lanes`; the runner's own statements are
// in `../lane-queries.ts` and `../settle-queries.ts`.

/**
 * Locked before the destination itself, in the order in which settling attempts locks them, so that
 * the two never wait for each other in a circle. One that never failed is made, or there would be
 * nothing to lock.
 */
export const lockLane = (db: Db, workspaceId: string, webhookId: string) =>
  sql`
    insert into webhook_lanes as l (workspace_id, webhook_id)
    select workspace_id, id from webhooks
    where workspace_id = ${workspaceId} and id = ${webhookId}
    on conflict (workspace_id, webhook_id) do update set failures = l.failures where false`.execute(
    db,
  )

/** Since when a destination has not succeeded; nothing where it does. */
export async function findFailingSince(db: Db, workspaceId: string, webhookId: string) {
  const lane = await db
    .selectFrom('webhook_lanes')
    .select('failing_since')
    .where('workspace_id', '=', workspaceId)
    .where('webhook_id', '=', webhookId)
    .executeTakeFirst()
  return lane?.failing_since
}

const noFailures = {
  failing_since: null,
  failures: 0,
  not_before: null,
}

/** Forgets the failures that disabled a destination, or would soon do so again. */
export const clearFailures = (db: Db, workspaceId: string, webhookId: string) =>
  updateLane(db, workspaceId, webhookId, noFailures)

const emptyHealth = { ...noFailures, abandons: 0, in_flight_id: null }

/** Of an address that is new: it has ended no process either. */
export const clearLaneHealth = (db: Db, workspaceId: string, webhookId: string) =>
  updateLane(db, workspaceId, webhookId, emptyHealth)

/**
 * Of a new address while nothing is sent to it. Since when the one before failed stays until the
 * destination is resumed: what was missed is counted from there.
 */
export const clearLaneHealthButFailingSince = (db: Db, workspaceId: string, webhookId: string) => {
  const { failing_since, ...cleared } = emptyHealth
  return updateLane(db, workspaceId, webhookId, cleared)
}

/** Of a workspace that came from another database: what was under way there has ended no process. */
export const clearInFlight = (db: Db, workspaceId: string) =>
  db
    .updateTable('webhook_lanes')
    .set({ in_flight_id: null })
    .where('workspace_id', '=', workspaceId)
    .where('in_flight_id', 'is not', null)
    .execute()

const updateLane = (
  db: Db,
  workspaceId: string,
  webhookId: string,
  columns: Updateable<WebhookLanes>,
) =>
  db
    .updateTable('webhook_lanes')
    .set(columns)
    .where('workspace_id', '=', workspaceId)
    .where('webhook_id', '=', webhookId)
    .execute()

export const deleteLane = (db: Db, workspaceId: string, webhookId: string) =>
  db
    .deleteFrom('webhook_lanes')
    .where('workspace_id', '=', workspaceId)
    .where('webhook_id', '=', webhookId)
    .execute()
