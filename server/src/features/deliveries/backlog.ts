import type { ProcessContext } from '../../kernel/context.ts'
import { allBuckets } from '../../kernel/runner/leases.ts'
import { shareFor } from '../../kernel/share-for.ts'
import * as queries from './cross-workspace.ts'

/** Of one destination: what goes beyond it is closed unsent, the oldest first (contract §4). */
export const pendingMax = 100_000

export interface Backlog {
  /** Deliveries that are not settled, those waiting for a retry included. */
  pending: number
  /** How late the most overdue one is of those that may be sent and whose destination does not fail; 0 when none is due. */
  oldestDueMs: number
}

export async function readBacklog(
  ctx: Pick<ProcessContext, 'db' | 'now'>,
  buckets = allBuckets,
): Promise<Backlog> {
  if (buckets.length === 0) return { pending: 0, oldestDueMs: 0 }
  const { pending, oldest_due } = await queries.countBacklog(ctx.db, buckets)
  const lateMs = oldest_due ? ctx.now().getTime() - oldest_due.getTime() : 0
  return { pending, oldestDueMs: Math.max(0, lateMs) }
}

/** @param buckets those that this process counts, so that all together count each row once */
export function observeBacklog(ctx: ProcessContext, buckets: () => number[]) {
  // Both gauges of one scrape come from one reading.
  const backlog = shareFor(1000, (own) => readBacklog(own, buckets()))
  ctx.metrics.gauge('outrider_deliveries_pending', async () => (await backlog(ctx)).pending)
  ctx.metrics.gauge(
    'outrider_deliveries_oldest_due_seconds',
    async () => (await backlog(ctx)).oldestDueMs / 1000,
  )
}

/** A destination that is restarted, or updated, is back by then. */
const failingMsMin = 3_600_000
/** Of more it is enough to know that there are many. */
const failingMax = 1_000

export const readFailing = ({ db, now }: Pick<ProcessContext, 'db' | 'now'>) =>
  queries.listFailing(db, new Date(now().getTime() - failingMsMin), failingMax)
