import { Batcher } from '../../kernel/batcher.ts'
import { inWorkspace, type ProcessContext } from '../../kernel/context.ts'
import { bind } from '../../kernel/db/db.ts'
import { type Destination, findDestinations } from '../webhooks/index.ts'
import type { DueDelivery } from './delivery.ts'
import { beforeAllRows, type Lane } from './lane.ts'
import * as queries from './lane-queries.ts'

/** Statements of a kind under way at once, each of another workspace. */
const concurrency = 3
const lanesMax = 64
/** Rows of one statement, shared by its lanes. */
const rowsMax = 1024
const rowsOfLaneMin = 16
/** Bodies of one statement; their size is estimated from the last one. */
const bodyBytesMax = 1024 * 1024

/** A destination that the lane knows already comes without its contents. */
export type ReadDestination = Destination | queries.UnchangedDestination

/** What a read tells of a lane. */
export interface ReadLane {
  /** Due rows, without those that were read before and are not settled. */
  fresh: DueDelivery[]
  /** Of the due rows those whose event is gone. */
  orphans: queries.Orphan[]
  /** Where the next read begins. */
  position: queries.Position
  hasMore: boolean
  /** Undefined: it is deleted. */
  destination: ReadDestination | undefined
  /** Undefined: nothing ever failed. */
  health: queries.LaneHealth | undefined
}

/**
 * Reads for lanes; those of a workspace share statements.
 *
 * @param isFull whether as much was read as is kept: then a lane gets a single row
 */
export function createWorkspaceReads(ctx: ProcessContext, isFull: () => boolean) {
  const { now } = ctx
  const dbOf = (workspaceId: string) => bind(ctx.db, workspaceId)
  const merge = <Answer>(
    name: string,
    read: (workspaceId: string, lanes: Lane[]) => Promise<Answer[]>,
  ) => {
    const run = ([first, ...others]: Lane[]) =>
      first ? read(first.workspaceId, [first, ...others]) : Promise.resolve([])
    const reads = new Batcher<Lane, Answer>(ctx, name, run, {
      ...{ itemsMax: lanesMax, concurrency, gather: 'microtask' },
      keyOf: (lane) => lane.workspaceId,
    })
    return (lane: Lane) => reads.add(lane)
  }
  let bodyBytes = 4096
  return {
    health: merge('lane health', async (workspaceId, lanes) => {
      const rows = await queries.listLaneHealth(dbOf(workspaceId), workspaceId, idsOf(lanes))
      return inOrderOf(lanes, rows, (row) => row.webhook_id)
    }),
    destination: merge('destinations', async (workspaceId, lanes) => {
      const rows = await findDestinations(dbOf(workspaceId), workspaceId, idsOf(lanes))
      return inOrderOf(lanes, rows, (row) => row.id)
    }),
    pending: merge('backlogs', async (workspaceId, lanes) => {
      const rows = await queries.countPending(dbOf(workspaceId), workspaceId, idsOf(lanes))
      return inOrderOf(lanes, rows, (row) => row.webhook_id).map((row) => row?.count ?? 0)
    }),
    due: merge('due deliveries', async (workspaceId, lanes) => {
      const rowsFitting = Math.min(rowsMax, bodyBytesMax / bodyBytes) / lanes.length
      const rowsEach = isFull() ? 1 : Math.floor(Math.max(rowsOfLaneMin, rowsFitting))
      const most = lanes.map((lane) => Math.min(rowsEach, lane.rowsWanted))
      const at = now()
      const read = await queries.readLanes(
        inWorkspace(ctx, workspaceId),
        workspaceId,
        idsOf(lanes),
        lanes.map((lane) => lane.position.due_at),
        lanes.map((lane) => lane.position.id),
        lanes.map((lane) => lane.versionAt(at)),
        most,
        at,
      )
      if (read.due.length > 0) {
        bodyBytes = 1 + averageOf(read.due.map((row) => row.event?.body.length ?? 0))
      }
      return shareOut(lanes, read, most)
    }),
  }
}

const idsOf = (lanes: Lane[]) => lanes.map((lane) => lane.webhookId)

const averageOf = (values: number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length

function inOrderOf<Row>(lanes: Lane[], rows: Row[], idOf: (row: Row) => string) {
  const found = new Map(rows.map((row) => [idOf(row), row]))
  return lanes.map((lane) => found.get(lane.webhookId))
}

type Due = DueDelivery | queries.Orphan

/** @param most rows of each lane: one that got so many may have more */
function shareOut(
  lanes: Lane[],
  { due, destinations, health }: queries.LanesRead,
  most: number[],
): ReadLane[] {
  const shares = new Map(
    lanes.map((lane) => [
      lane.webhookId,
      { lane, read: [] as Due[], fresh: [] as DueDelivery[], orphans: [] as queries.Orphan[] },
    ]),
  )
  for (const row of due) shares.get(row.webhook_id)?.read.push(row)
  const fresh = due.filter((row) => !shares.get(row.webhook_id)?.lane.hasTaken(row.id))
  for (const row of fresh) {
    if (row.event) shares.get(row.webhook_id)?.fresh.push(row)
    else shares.get(row.webhook_id)?.orphans.push(row)
  }
  return [...shares.values()].map(({ lane, read, fresh, orphans }, index) => {
    const last = read.at(-1)
    const isFull = last !== undefined && read.length === most[index]
    return {
      fresh,
      orphans,
      // Caught up: the next read starts over, and finds what was committed late.
      position: isFull ? last : beforeAllRows,
      // Put back for a retry meanwhile, it may be due again.
      hasMore: isFull || read.some((row) => lane.wasSettledWhileReading(row.id)),
      destination: destinations.get(lane.webhookId),
      health: health.get(lane.webhookId),
    }
  })
}
