import type { Db } from '../../../kernel/db/db.ts'

// What a change of a destination does to its row in `webhook_lanes`; the runner's own statements are
// in `../lane-queries.ts` and `../settle-queries.ts`.

/**
 * Locked before the destination itself, in the order in which settling attempts locks them, so that
 * the two never wait for each other in a circle.
 */
export const lockLane = (db: Db, workspaceId: string, webhookId: string) =>
  db
    .selectFrom('webhook_lanes')
    .select('webhook_id')
    .where('workspace_id', '=', workspaceId)
    .where('webhook_id', '=', webhookId)
    .forUpdate()
    .executeTakeFirst()

/** Forgets the failures that disabled a destination, or would soon do so again. */
export const resetLane = (db: Db, workspaceId: string, webhookId: string) =>
  db
    .updateTable('webhook_lanes')
    .set({ failing_since: null, failures: 0, consecutive_failures: 0, not_before: null })
    .where('workspace_id', '=', workspaceId)
    .where('webhook_id', '=', webhookId)
    .execute()

export const deleteLane = (db: Db, workspaceId: string, webhookId: string) =>
  db
    .deleteFrom('webhook_lanes')
    .where('workspace_id', '=', workspaceId)
    .where('webhook_id', '=', webhookId)
    .execute()
