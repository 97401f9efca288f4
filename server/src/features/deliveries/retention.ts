import type { ProcessContext } from '../../kernel/context.ts'
import type { ProcessDb } from '../../kernel/db/db.ts'
import {
  dropPartition,
  listPartitions,
  type Partition,
  type PartitionedTable,
} from '../../kernel/db/partitions.ts'
import { dayMs } from '../../kernel/durations.ts'
import { timeOfId } from '../../kernel/ids.ts'
import { deleteOldCounts, findOldestPendingEvent } from './cross-workspace.ts'

const events: PartitionedTable = { name: 'events', by: 'week' }
const attempts: PartitionedTable = { name: 'webhook_events', by: 'week' }
export const historyTables = [events, attempts]

/** An attempt outlives the event whose payload it shows only where that was replayed late. */
const eventsExtraDays = 7
const countsDays = 400
/** The page of a webhook shows 30, today's among them. */
const webhookDays = 31

/**
 * Drops history by partition: attempts after the retention time, events a week later, and never
 * while a delivery of one of its events is pending.
 */
export async function dropOldPartitions(ctx: ProcessContext) {
  const days = ctx.config.webhookRetentionDays
  await dropBefore(ctx, attempts, daysAgo(ctx, days))
  await dropBefore(ctx, events, daysAgo(ctx, days + eventsExtraDays))
  await deleteOldCounts(ctx.db, dateOf(ctx, countsDays), dateOf(ctx, webhookDays))
}

async function dropBefore(ctx: ProcessContext, table: PartitionedTable, limit: Date) {
  const neededBy = async (db: ProcessDb) => {
    const pending = await findOldestPendingEvent(db)
    return pending ? timeOfId(pending) : ctx.now()
  }
  const needed = await neededBy(ctx.db)
  const partitions = await listPartitions(ctx.db, table)
  const isOld = ({ end }: Partition) => end <= limit && end <= needed
  for (const partition of partitions.filter(isOld)) {
    // A replay may have taken up its events meanwhile.
    const isNeeded = async (tx: ProcessDb) => partition.end > (await neededBy(tx))
    const dropped = await dropPartition(ctx.db, partition, isNeeded)
    ctx.log.info({ partition: partition.name, dropped }, 'history past its retention time')
  }
}

const daysAgo = (ctx: ProcessContext, days: number) => new Date(ctx.now().getTime() - days * dayMs)

const dateOf = (ctx: ProcessContext, days: number) => daysAgo(ctx, days).toISOString().slice(0, 10)
