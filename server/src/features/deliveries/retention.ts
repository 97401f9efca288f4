import type { ProcessContext } from '../../kernel/context.ts'
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

/** An attempt never outlives the event whose payload it shows. */
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
  const pending = await findOldestPendingEvent(ctx.db)
  const needed = pending ? timeOfId(pending) : ctx.now()
  await dropBefore(ctx, attempts, daysAgo(ctx, days), needed)
  await dropBefore(ctx, events, daysAgo(ctx, days + eventsExtraDays), needed)
  await deleteOldCounts(ctx.db, dateOf(ctx, countsDays), dateOf(ctx, webhookDays))
}

async function dropBefore(ctx: ProcessContext, table: PartitionedTable, limit: Date, needed: Date) {
  const partitions = await listPartitions(ctx.db, table)
  const isOld = ({ end }: Partition) => end <= limit && end <= needed
  for (const partition of partitions.filter(isOld)) {
    const dropped = await dropPartition(ctx.db, partition)
    ctx.log.info({ partition: partition.name, dropped }, 'history past its retention time')
  }
}

const daysAgo = (ctx: ProcessContext, days: number) => new Date(ctx.now().getTime() - days * dayMs)

const dateOf = (ctx: ProcessContext, days: number) => daysAgo(ctx, days).toISOString().slice(0, 10)
