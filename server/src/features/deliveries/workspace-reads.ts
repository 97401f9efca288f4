import type { Context } from '../../kernel/context.ts'
import { type Destination, findDestinations } from '../webhooks/index.ts'
import type { DueDelivery } from './delivery.ts'
import { type Lane, start } from './lane.ts'
import { MergedReads } from './merged-reads.ts'
import * as queries from './queries.ts'

/** Statements of a kind under way at once. */
const underWayMax = 3
const lanesMax = 64
/** Of one statement, shared by its lanes. */
const rowsMax = 1024
const rowsOfLaneMin = 16
export const rowsOfLaneMax = 64
/** Of the bodies of one statement, going by those of the last. */
const bodyBytesMax = 1024 * 1024

/** What was due of a lane. */
export interface DueRows {
  /** Without those that were read before and are not settled. */
  fresh: DueDelivery[]
  /** Where the next read begins. */
  position: queries.Position
  hasMore: boolean
}

/** What lanes ask of the database, those of a workspace together. */
export function createWorkspaceReads(ctx: Context) {
  const { db, now } = ctx
  const health = new MergedReads({
    ...{ underWayMax, most: lanesMax },
    read: async (workspaceId, ids: string[]) =>
      inOrderOf(ids, await queries.listLaneHealth(db, workspaceId, ids), (row) => row.webhook_id),
  })
  const destination = new MergedReads<string, Destination | undefined>({
    ...{ underWayMax, most: lanesMax },
    read: async (workspaceId, ids) =>
      inOrderOf(ids, await findDestinations(db, workspaceId, ids), (row) => row.id),
  })
  const pending = new MergedReads({
    ...{ underWayMax, most: lanesMax },
    read: async (workspaceId, ids: string[]) =>
      inOrderOf(ids, await queries.countPending(db, workspaceId, ids), (row) => row.webhook_id),
  })
  let bodyBytes = 4096
  const due = new MergedReads({
    ...{ underWayMax, most: lanesMax },
    async read(workspaceId, lanes: Lane[]) {
      const rowsFitting = Math.min(rowsMax, bodyBytesMax / bodyBytes) / lanes.length
      const most = Math.floor(Math.min(rowsOfLaneMax, Math.max(rowsOfLaneMin, rowsFitting)))
      const rows = await queries.readDue(
        ctx,
        workspaceId,
        lanes.map((lane) => lane.webhookId),
        lanes.map((lane) => lane.position.due_at),
        lanes.map((lane) => lane.position.id),
        now(),
        most,
      )
      if (rows.length > 0) {
        bodyBytes = 1 + averageOf(rows.map((row) => row.event?.body.length ?? 0))
      }
      return shareOut(lanes, rows, most)
    },
  })
  return {
    health: (lane: Lane) => health.ask(lane.workspaceId, lane.webhookId),
    destination: (lane: Lane) => destination.ask(lane.workspaceId, lane.webhookId),
    pending: async (lane: Lane) =>
      (await pending.ask(lane.workspaceId, lane.webhookId))?.count ?? 0,
    due: (lane: Lane) => due.ask(lane.workspaceId, lane),
  }
}

const averageOf = (values: number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length

function inOrderOf<Row>(ids: string[], rows: Row[], idOf: (row: Row) => string) {
  const found = new Map(rows.map((row) => [idOf(row), row]))
  return ids.map((id) => found.get(id))
}

type Due = DueDelivery | queries.Orphan

/** @param most rows of a lane: one that got so many may have more */
function shareOut(lanes: Lane[], rows: Due[], most: number): DueRows[] {
  const shares = new Map(
    lanes.map((lane) => [lane.webhookId, { lane, read: [] as Due[], fresh: [] as DueDelivery[] }]),
  )
  for (const row of rows) shares.get(row.webhook_id)?.read.push(row)
  const fresh = rows.filter((row) => !shares.get(row.webhook_id)?.lane.taken.has(row.id))
  for (const row of fresh) if (row.event) shares.get(row.webhook_id)?.fresh.push(row)
  return [...shares.values()].map(({ lane, read, fresh }) => {
    const last = read.at(-1)
    const isFull = last !== undefined && read.length === most
    return {
      fresh,
      // Caught up: the next read starts over, and finds what was committed late.
      position: isFull ? last : start,
      // Put back for a retry meanwhile, it may be due again.
      hasMore: isFull || read.some((row) => lane.wasSettledWhileReading(row.id)),
    }
  })
}
