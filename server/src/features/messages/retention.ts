import type { AnyContext, ProcessContext } from '../../kernel/context.ts'
import { dropPartition, listPartitions, type PartitionedTable } from '../../kernel/db/partitions.ts'
import { dayMs } from '../../kernel/durations.ts'
import { firstIdAt } from '../../kernel/ids.ts'
import { retentionDaysOf } from '../kept-settings/index.ts'

/** Every mail that was sent or received. */
export const messagesTable: PartitionedTable = { name: 'messages', by: 'week' }

/** Mails from before are past MESSAGE_RETENTION_DAYS; undefined: it is not set. */
export function keptSince(
  ctx: Pick<AnyContext, 'config' | 'keptSettings' | 'now'>,
): Date | undefined {
  const days = retentionDaysOf(ctx, 'MESSAGE_RETENTION_DAYS')
  return days === undefined ? undefined : new Date(ctx.now().getTime() - days * dayMs)
}

/** No mail before this id is kept any more; undefined where all are. */
export async function findFirstKept(
  ctx: Pick<AnyContext, 'config' | 'keptSettings' | 'now' | 'db'>,
): Promise<string | undefined> {
  if (!keptSince(ctx)) return undefined
  const [oldest] = await listPartitions(ctx.db, messagesTable)
  return oldest && firstIdAt(oldest.start)
}

/**
 * Drops mails past MESSAGE_RETENTION_DAYS, if it is set. Their Message-IDs stay: a late reply still
 * finds its lead.
 */
export async function dropOldMessages(ctx: ProcessContext) {
  const limit = keptSince(ctx)
  if (!limit) return
  for (const partition of await listPartitions(ctx.db, messagesTable)) {
    if (partition.end > limit) continue
    const dropped = await dropPartition(ctx.db, messagesTable, partition)
    ctx.log.info({ partition: partition.name, dropped }, 'mails past their retention time')
  }
}
