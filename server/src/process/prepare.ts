import { ensurePartitions } from '../app.ts'
import { observeOperations } from '../features/operations/index.ts'
import type { Context } from '../kernel/context.ts'

/** What a process needs before it writes events, deliveries or mails. */
export async function prepare(ctx: Context) {
  await ensurePartitions(ctx)
  observeOperations(ctx)
}
