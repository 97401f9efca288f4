import { historyTables } from './features/deliveries/retention.ts'
import { messagesTable } from './features/messages/retention.ts'
import type { ProcessContext } from './kernel/context.ts'
import { createPartitions, type PartitionedTable } from './kernel/db/partitions.ts'
import { answersTable } from './kernel/http/kept-answers.ts'

/**
 * The tables that grow without end, and how they are cut. Beside `app.ts`, because a command needs
 * them without the rest of the program.
 */
export const partitionedTables: PartitionedTable[] = [...historyTables, answersTable, messagesTable]

/** Before anything is written at `ctx.now()`: a row without its partition fails its transaction. */
export async function ensurePartitions(ctx: Pick<ProcessContext, 'db' | 'now'>) {
  for (const table of partitionedTables) await createPartitions(ctx.db, table, ctx.now())
}
