import type { Context } from '../../kernel/context.ts'
import { poolOf } from '../../kernel/db/db.ts'
import { readBacklog as readPending } from '../deliveries/index.ts'
import { countMailboxes } from '../mailboxes/index.ts'
import { countWaitingLeads } from '../sending/index.ts'

interface Backlog {
  /** Deliveries that are not settled, those waiting for a retry included. */
  pending: number
  /** How late the most overdue one is; 0 when none is due. */
  oldestDueMs: number
}

export async function readBacklog(ctx: Pick<Context, 'db' | 'now'>): Promise<Backlog> {
  const { pending, oldest_due } = await readPending(ctx.db)
  const lateMs = oldest_due ? ctx.now().getTime() - oldest_due.getTime() : 0
  return { pending, oldestDueMs: Math.max(0, lateMs) }
}

/** Fills the gauges that every process can tell. */
export function observeOperations(ctx: Context) {
  // Both gauges of one scrape come from one reading.
  let reading: { backlog: Promise<Backlog>; atMs: number } | undefined
  const backlog = () => {
    if (!reading || ctx.monotonicMs() - reading.atMs > 1000) {
      reading = { backlog: readBacklog(ctx), atMs: ctx.monotonicMs() }
    }
    return reading.backlog
  }
  ctx.metrics.gauge('deliveries_pending', async () => (await backlog()).pending)
  ctx.metrics.gauge(
    'deliveries_oldest_due_seconds',
    async () => (await backlog()).oldestDueMs / 1000,
  )
  // Counting reads every lead that is due: not more often than a scrape is usual.
  let waiting: { count: Promise<number>; atMs: number } | undefined
  ctx.metrics.gauge('mails_waiting', () => {
    if (!waiting || ctx.monotonicMs() - waiting.atMs > 15_000) {
      waiting = { count: countWaitingLeads(ctx.db, ctx.now()), atMs: ctx.monotonicMs() }
    }
    return waiting.count
  })
  ctx.metrics.gauge('mailboxes', async () => {
    const counts = (await countMailboxes(ctx.db)).map(({ status, count }) => [status, count])
    // A state that no mailbox is in any more is told, too: an alarm ends with its 0.
    return { connected: 0, error: 0, paused: 0, ...Object.fromEntries(counts) }
  })
  ctx.metrics.gauge('database_connections', () => {
    const { totalCount = 0, idleCount = 0, waitingCount = 0 } = poolOf(ctx.db) ?? {}
    return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount }
  })
}
