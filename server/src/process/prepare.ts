import { ensurePartitions } from '../app.ts'
import type { Context } from '../kernel/context.ts'
import { setGauges } from './gauges.ts'

/** What a process needs before it writes events, deliveries or mails. */
export async function prepare(ctx: Context) {
  await ensurePartitions(ctx)
  setGauges(ctx)
}
