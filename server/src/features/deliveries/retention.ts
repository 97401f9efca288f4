import type { Context, ProcessContext } from '../../kernel/context.ts'
import type { AnyDb, ProcessDb } from '../../kernel/db/db.ts'
import {
  dropPartition,
  listPartitions,
  type Partition,
  type PartitionedTable,
  startOfPeriod,
} from '../../kernel/db/partitions.ts'
import { dayMs } from '../../kernel/durations.ts'
import { timeOfId } from '../../kernel/ids.ts'
import { eventDaysOf, retentionDaysOf } from '../kept-settings/index.ts'
import { deleteOldCounts, findOldestPendingEvent } from './cross-workspace.ts'
import { lifetimeMs } from './enqueue.ts'
import * as queries from './retention-queries.ts'

const events: PartitionedTable = { name: 'events', by: 'week' }
const attempts: PartitionedTable = { name: 'webhook_events', by: 'week' }
export const historyTables = [events, attempts]

const countsDays = 400
/** The page of a webhook shows 30, today's among them. */
const webhookDays = 31

/**
 * Drops history by partition: attempts after the retention time, events a week later, and never
 * while a delivery of one of its events is pending, or an attempt of its replay is shown.
 */
export async function dropOldPartitions(ctx: ProcessContext) {
  const eventsLimit = daysAgo(ctx, eventDaysOf(ctx))
  await dropBefore(ctx, attempts, daysAgo(ctx, retentionDaysOf(ctx, 'WEBHOOK_RETENTION_DAYS')))
  await queries.forgetReplayedWeeks(ctx.db, dateOf(eventsLimit))
  await dropBefore(ctx, events, eventsLimit)
  await deleteOldCounts(ctx.db, dateOf(daysAgo(ctx, countsDays)), dateOf(daysAgo(ctx, webhookDays)))
}

async function dropBefore(ctx: ProcessContext, table: PartitionedTable, limit: Date) {
  const isNeeded = await readNeeded(ctx.db, table)
  const partitions = await listPartitions(ctx.db, table)
  for (const partition of partitions.filter((each) => each.end <= limit && !isNeeded(each))) {
    // A replay may have taken up its events meanwhile, and has noted it.
    const isNeededNow = async (tx: ProcessDb) => (await readReplayed(tx, table))(partition)
    const dropped = await dropPartition(ctx.db, table, partition, isNeededNow)
    ctx.log.info({ partition: partition.name, dropped }, 'history past its retention time')
  }
}

/** Which of its partitions must stay, however old. */
async function readNeeded(db: ProcessDb, table: PartitionedTable) {
  const pending = await findOldestPendingEvent(db)
  const isReplayed = await readReplayed(db, table)
  return (partition: Partition) =>
    (pending !== null && partition.end > timeOfId(pending)) || isReplayed(partition)
}

async function readReplayed(db: ProcessDb, table: PartitionedTable) {
  const replayed = table === events ? await queries.listReplayedWeeks(db) : []
  return ({ start }: Partition) => replayed.some(({ week }) => week === dateOf(start))
}

/**
 * In the transaction that queues a replay: its events stay until its attempts have gone. Younger ones
 * than the oldest delivery do anyway. By whole days: only the first replay of a day has to write it.
 */
export async function keepReplayed(tx: Context, eventIds: string[], expiresAt: Date) {
  const times = eventIds.map(timeOfId)
  const old = times.filter((time) => time.getTime() < tx.now().getTime() - lifetimeMs)
  const weeks = new Set(old.map((time) => dateOf(startOfPeriod(events, time))))
  if (weeks.size === 0) return
  const attempts_until = dateOf(new Date(expiresAt.getTime() + dayMs))
  const noted = [...weeks].map((week) => ({ week, attempts_until }))
  await queries.noteReplayedWeeks(tx.db, noted)
}

/** For a workspace that comes from another database: its attempts there may be of replays. */
export const copyReplayedWeeks = async (from: AnyDb, to: AnyDb) =>
  queries.noteReplayedWeeks(to, await queries.listReplayedWeeks(from))

const daysAgo = (ctx: ProcessContext, days: number) => new Date(ctx.now().getTime() - days * dayMs)

const dateOf = (time: Date) => time.toISOString().slice(0, 10)
