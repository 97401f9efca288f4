import { countMailboxes } from '../features/mailboxes/index.ts'
import { countWaitingLeads } from '../features/sending/index.ts'
import type { ProcessContext } from '../kernel/context.ts'
import { type ProcessDb, poolOf } from '../kernel/db/db.ts'

/** Sets the gauges that every process can tell. */
export function setGauges(ctx: ProcessContext) {
  // Counting reads every lead that is due: not more often than a scrape is usual.
  let waiting: { count: Promise<number>; atMs: number } | undefined
  ctx.metrics.gauge('outrider_mails_waiting', () => {
    if (!waiting || ctx.monotonicMs() - waiting.atMs > 15_000) {
      waiting = { count: countWaitingLeads(ctx.db, ctx.now()), atMs: ctx.monotonicMs() }
    }
    return waiting.count
  })
  ctx.metrics.gauge('outrider_mailboxes', async () => {
    const counts = (await countMailboxes(ctx.db)).map(({ status, count }) => [status, count])
    // A state that no mailbox is in any more is told, too: an alarm ends with its 0.
    return { connected: 0, error: 0, paused: 0, ...Object.fromEntries(counts) }
  })
  gaugeConnections(ctx, [ctx.db])
}

/** Of all pools that the process has: in `npm start` the runner has one of its own. */
export function gaugeConnections({ metrics }: ProcessContext, dbs: ProcessDb[]) {
  metrics.gauge('outrider_database_connections', () => {
    const counts = { busy: 0, idle: 0, waiting: 0 }
    for (const { totalCount, idleCount, waitingCount } of dbs.flatMap((db) => poolOf(db) ?? [])) {
      counts.busy += totalCount - idleCount
      counts.idle += idleCount
      counts.waiting += waitingCount
    }
    return counts
  })
}
