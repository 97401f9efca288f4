import { inWorkspace, type ProcessContext } from '../../kernel/context.ts'
import type { Db } from '../../kernel/db/db.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { askShardsUp } from '../../kernel/shards/ask.ts'
import { findPlace } from '../../kernel/shards/queries.ts'
import { setEmptied } from '../workspaces/index.ts'
import { type Leaving, listLeaving } from './cross-workspace.ts'
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

/** How a workspace stands to a database that it is leaving, or has left. */
type Standing =
  /** A mover is at work. */
  | 'under_way'
  /** It is here, and nothing of it is written: its move was begun and left. */
  | 'left'
  /** No shard has it: what is here is all that there is of it. */
  | 'nowhere'
  /** Another shard has it, and what it has left here is kept for a while. */
  | 'kept'
  | 'deletable'

/** @param isElsewhere another shard has it, and works for it */
export function standingOf(
  { moved_to, since_ms, is_under_way }: Leaving,
  isElsewhere: boolean,
): Standing {
  if (is_under_way) return 'under_way'
  if (moved_to === null) return 'left'
  if (!isElsewhere) return 'nowhere'
  return since_ms >= keptMs ? 'deletable' : 'kept'
}

/**
 * Upkeep: deletes what workspaces have left that were moved away, except the row that says where they
 * are. Complains of moves that were left: nothing of their workspaces can be written, and what has not
 * arrived anywhere is deleted nowhere.
 */
export async function cleanUpMoves(ctx: ProcessContext): Promise<void> {
  const tables = await listWorkspaceTables(ctx.db)
  for (const leaving of await listLeaving(ctx.db)) {
    const { id, moving_to: to, since_ms } = leaving
    const standing = standingOf(leaving, await isElsewhere(ctx, id))
    const complaint = complaints[standing]
    if (complaint && since_ms >= leftMs) ctx.log.error({ workspace: id, to }, complaint)
    if (standing === 'deletable' && (await deleteAllRows(ctx, tables, id, hasGone))) {
      await lowerFence(ctx, await queries.listFenced(ctx.db, id), id)
    }
  }
}

const complaints: Partial<Record<Standing, string>> = {
  left: 'a move was begun and left, so nothing of its workspace is written: run it again, or cancel it',
  nowhere:
    'a workspace has left this database, and no shard that answers has it, so its rows here are kept: once all answer, run its move again, or cancel it',
}

async function isElsewhere(ctx: ProcessContext, workspaceId: string): Promise<boolean> {
  const places = await askShardsUp(ctx, ({ db }) => findPlace(db, workspaceId))
  return places.some(([place]) => place?.moved_to === null)
}

/** It is not here again, and nobody is bringing it back until the transaction ends. */
async function hasGone(tx: Db, workspaceId: string): Promise<boolean> {
  if (!(await queries.lockMove(tx, workspaceId))) return false
  const place = await queries.findWorkspaceRow(tx, workspaceId)
  return place !== undefined && place.moved_to !== null
}

/**
 * Deletes the rows of a workspace that is somewhere else, in batches. Its row in `workspaces` stays, and
 * says before the first of them goes that nothing can be brought from here any more.
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
  /** Undefined where it may not go on. */
  const allowed = <T>(work: (tx: Db) => Promise<T>) =>
    transaction(inWorkspace(ctx, workspaceId), async ({ db }) => {
      await queries.actAsMover(db)
      return (await mayGoOn(db, workspaceId)) ? work(db) : undefined
    })
  const begun = await allowed((tx) => setEmptied(tx, workspaceId))
  if (!begun) return false
  // Those first that refer to others.
  for (const table of tables.toReversed()) {
    if (table.owner === 'id') continue
    for (let deleted = rowsAtOnce; deleted === rowsAtOnce; ) {
      const batch = await allowed((tx) => queries.deleteRows(tx, table, workspaceId, rowsAtOnce))
      if (batch === undefined) return false
      deleted = batch
    }
  }
  return true
}
