import type { ProcessContext } from '../../kernel/context.ts'
import { dropPartition, listPartitions, type PartitionedTable } from '../../kernel/db/partitions.ts'

/** Every mail that was sent or received. */
export const messagesTable: PartitionedTable = { name: 'messages', by: 'week' }

const dayMs = 86_400_000

/**
 * Drops mails past MESSAGE_RETENTION_DAYS, if it is set. Their Message-IDs stay: a late reply still
 * finds its lead.
 */
export async function dropOldMessages(ctx: ProcessContext) {
  const { messageRetentionDays } = ctx.config
  if (messageRetentionDays === undefined) return
  const limit = new Date(ctx.now().getTime() - messageRetentionDays * dayMs)
  for (const partition of await listPartitions(ctx.db, messagesTable)) {
    if (partition.end > limit) continue
    const dropped = await dropPartition(ctx.db, partition)
    ctx.log.info({ partition: partition.name, dropped }, 'mails past their retention time')
  }
}
