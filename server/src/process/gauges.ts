import { readFailing } from '../features/deliveries/index.ts'
import { countMailboxes } from '../features/mailboxes/index.ts'
import { countLeft } from '../features/moves/index.ts'
import { countWaitingLeads } from '../features/sending/index.ts'
import type { ProcessContext } from '../kernel/context.ts'
import { type ProcessDb, poolOf } from '../kernel/db/db.ts'
import { shareFor } from '../kernel/share-for.ts'

/** Counting reads every lead that is due, so it is not done more often than a scrape is usual. */
const countWaitingForMs = 15_000

/** Sets the gauges that every process can tell. */
export function setGauges(ctx: ProcessContext) {
  // First, because gauges are read in this order, and the others ask the database.
  gaugeConnections(ctx, [ctx.db])
  const countWaiting = shareFor(countWaitingForMs, ({ db, now }) => countWaitingLeads(db, now()))
  ctx.metrics.gauge('outrider_mails_waiting', () => countWaiting(ctx))
  ctx.metrics.gauge('outrider_webhooks_failing', async () => (await readFailing(ctx)).length)
  ctx.metrics.gauge('outrider_moves_left', () => countLeft(ctx.db))
  ctx.metrics.gauge('outrider_mailboxes', async () => {
    const counts = (await countMailboxes(ctx.db)).map(({ status, count }) => [status, count])
    // A state that no mailbox is in any more is told, too: an alarm ends with its 0.
    return { connected: 0, error: 0, paused: 0, ...Object.fromEntries(counts) }
  })
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
