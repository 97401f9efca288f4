import { inWorkspace, type ProcessContext } from '../../kernel/context.ts'
import type { Db, ProcessDb } from '../../kernel/db/db.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { describeError } from '../../kernel/log.ts'
import { askShardsUp, haveAllAnswered } from '../../kernel/shards/ask.ts'
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
  /** The workspace is here and sends nothing, and may be fenced: its move was begun and left. */
  | 'left'
  /** No shard has it, and this was the last that had: what is here is all that there is of it. */
  | 'nowhere'
  /** One that does not answer may have it. */
  | 'unknown'
  /** Another shard has it, or had it later, and what it has left here is kept for a while. */
  | 'kept'
  | 'deletable'

/** What a shard has of it. */
type Place = Pick<Leaving, 'moved_to' | 'timestamp_moving'>

/** @param haveAll whether all shards say what they have of it; else one that does not may have it */
export function standingOf(leaving: Leaving, places: Place[], haveAll: boolean): Standing {
  if (leaving.is_under_way) return 'under_way'
  if (leaving.moved_to === null) return 'left'
  if (places.some(isThere)) return leaving.since_ms >= keptMs ? 'deletable' : 'kept'
  if (!haveAll) return 'unknown'
  return places.some((place) => hasLeftLater(place, leaving)) ? 'kept' : 'nowhere'
}

/** Moves that were begun from here and left: their workspaces send nothing. */
export async function countLeft(db: ProcessDb): Promise<number> {
  const leaving = await listLeaving(db)
  return leaving.filter((each) => standingOf(each, [], false) === 'left').length
}

async function readStanding(ctx: ProcessContext, leaving: Leaving): Promise<Standing> {
  const { id } = leaving
  const answers = await askShardsUp(ctx, (shard) =>
    queries.findWorkspaceRow(inWorkspace(shard, id).db, id),
  )
  const places = answers.filter((row) => row !== undefined)
  return standingOf(leaving, places, haveAllAnswered(ctx, answers))
}

/** Workspaces that have left this database, and that another one has, or had later. */
export async function listGone(ctx: ProcessContext): Promise<string[]> {
  const gone: string[] = []
  for (const leaving of await listLeaving(ctx.db)) {
    const standing = await readStanding(ctx, leaving)
    if (standing === 'kept' || standing === 'deletable') gone.push(leaving.id)
  }
  return gone
}

export const isThere = ({ moved_to }: Place) => moved_to === null

/** Whether the workspace came there from where it has left before. */
export const hasLeftLater = (place: Place, left: Place) => timeOf(place) > timeOf(left)

const timeOf = ({ timestamp_moving }: Place) => timestamp_moving?.getTime() ?? 0

/**
 * Upkeep: deletes what workspaces have left that were moved away, except the row that says where they
 * are. Complains of moves that were left: their workspaces send nothing, and what has not
 * arrived anywhere is deleted nowhere.
 */
export async function cleanUpMoves(ctx: ProcessContext): Promise<void> {
  const tables = await listWorkspaceTables(ctx.db)
  for (const leaving of await listLeaving(ctx.db)) {
    const { id, moving_to: to, since_ms } = leaving
    const standing = await readStanding(ctx, leaving)
    const complaint = complaints[standing]
    if (complaint && since_ms >= leftMs) ctx.log.error({ workspace: id, to }, complaint)
    if (standing === 'unknown') ctx.log.warn({ workspace: id, to }, notKnown)
    if (standing === 'deletable' && (await deleteAllRows(ctx, tables, id, hasGone))) {
      // The next upkeep tries again, and what comes behind this has nothing to do with it.
      await lowerFence(ctx, await queries.listFenced(ctx.db, id), id).catch((error) =>
        ctx.log.warn({ workspace: id, to, ...describeError(error) }, notLowered),
      )
    }
  }
}

const complaints: Partial<Record<Standing, string>> = {
  left: 'a move was begun and left, so its workspace sends nothing, and may refuse changes: run it again, or cancel it',
  nowhere:
    'a workspace has left this database, and no shard has it, so its rows here are kept: run its move again, or cancel it',
}

const notKnown =
  'a workspace has left this database, and its rows here are kept: a shard that may have it does not answer'

const notLowered =
  'triggers of a workspace that has left this database were not dropped, as a table was in use: upkeep tries again'

/** Whether the workspace is not here again; nobody brings it back until the transaction ends. */
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
