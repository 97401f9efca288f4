import type { PartitionedTable } from '../../kernel/db/partitions.ts'

/** Every mail that was sent or received. */
export const messagesTable: PartitionedTable = { name: 'messages', by: 'week' }
