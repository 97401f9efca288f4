import { inWorkspace, type ProcessContext } from '../../kernel/context.ts'
import type { Db } from '../../kernel/db/db.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { listLeaving } from './cross-workspace.ts'
import { lowerFence } from './fence.ts'
import * as queries from './queries.ts'
import { listWorkspaceTables, type WorkspaceTable } from './tables.ts'

const rowsAtOnce = 5_000
/**
 * Longer than any request that began before the move and reads here. And for so long a target that loses
 * its newest commits in a failover can be brought the workspace once more.
 */
const keptMs = 3_600_000
/** One that has failed a moment ago is being taken back. */
const leftMs = 60_000

/** Whether what a workspace has left here may be deleted by now, so that nothing may begin with it. */
export const maybeDeleted = ({ moved_to, since_ms }: queries.WorkspaceRow) =>
  moved_to !== null && (since_ms ?? keptMs) >= keptMs

/**
 * Upkeep: deletes what workspaces have left that were moved away, except the row that says where they
 * are. Complains of moves that were begun and left, because nothing of their workspaces can be written.
 */
export async function cleanUpMoves(ctx: ProcessContext): Promise<void> {
  const tables = await listWorkspaceTables(ctx.db)
  for (const { id, moving_to, moved_to, since_ms, is_under_way } of await listLeaving(ctx.db)) {
    if (is_under_way) continue
    if (moved_to === null && since_ms >= leftMs) {
      ctx.log.error(
        { workspace: id, to: moving_to },
        'a move was begun and left, so nothing of its workspace is written: run it again, or cancel it',
      )
    }
    if (
      moved_to !== null &&
      since_ms >= keptMs &&
      (await deleteAllRows(ctx, tables, id, hasGone))
    ) {
      await lowerFence(ctx, await queries.listFenced(ctx.db, id), id)
    }
  }
}

/** It is not here again, and nobody is bringing it back until the transaction ends. */
async function hasGone(tx: Db, workspaceId: string): Promise<boolean> {
  if (!(await queries.lockMove(tx, workspaceId))) return false
  const place = await queries.findWorkspaceRow(tx, workspaceId)
  return place !== undefined && place.moved_to !== null
}

/**
 * Deletes the rows of a workspace that is somewhere else, in batches; its row in `workspaces` stays.
 *
 * @param mayGoOn asked in the transaction of each batch, unless the caller holds the lock of its move
 * @returns whether all are gone
 */
export async function deleteAllRows(
  ctx: ProcessContext,
  tables: WorkspaceTable[],
  workspaceId: string,
  mayGoOn: (tx: Db, workspaceId: string) => Promise<boolean> = async () => true,
): Promise<boolean> {
  const own = inWorkspace(ctx, workspaceId)
  // Those first that refer to others.
  for (const table of tables.toReversed()) {
    if (table.owner === 'id') continue
    for (let deleted = rowsAtOnce; deleted === rowsAtOnce; ) {
      deleted = await transaction(own, async ({ db }) => {
        await queries.actAsMover(db)
        if (!(await mayGoOn(db, workspaceId))) return -1
        return queries.deleteRows(db, table, workspaceId, rowsAtOnce)
      })
      if (deleted < 0) return false
    }
  }
  return true
}
