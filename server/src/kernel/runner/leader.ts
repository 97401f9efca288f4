import type { ProcessContext } from '../context.ts'
import { hintChannel, hintDue, type LaneName, type ListenForHints } from './hint.ts'
import { releaseLeadership, takeLeadership } from './lease-queries.ts'
import { allBuckets, bucketOf } from './leases.ts'
import { startLoop } from './loop.ts'

/** Whose work a runner looks for: everybody's as the leader, nobody's while it hears of one, else its own. */
export type Scope = 'all' | 'own' | 'none'

/** The scope where there is no leader: each runner looks for its own work. */
export const withoutLeader = () => 'own' as const

/** The buckets that a runner looks at, which has `own` ones. */
export function bucketsOf(scope: Scope, own: number[]): number[] {
  if (scope === 'all') return allBuckets
  return scope === 'own' ? own : []
}

/** Wakes what was found in our own buckets, and tells the owners of the rest. */
export function wakeOwners(
  ctx: ProcessContext,
  { kind, own, wake }: { kind: string; own: number[]; wake: (lane: LaneName) => void },
  found: LaneName[],
) {
  const { ours = [], others = [] } = Object.groupBy(found, ({ id }) =>
    own.includes(bucketOf(id)) ? 'ours' : 'others',
  )
  for (const lane of ours) wake(lane)
  if (others.length > 0) hintDue(ctx, { kind, lanes: others })
}

export interface Leader {
  scope: () => Scope
  stop: () => Promise<void>
}

const beatEveryMs = 1_000
const leaseMs = 5_000
/** The lease is trusted so much shorter, for what stalls between asking for it and going by it. */
const marginMs = 1_000
/** Two of its signs missed. */
const silentMs = 2_500
const sign = 'leader'

/**
 * One runner at a time looks for what is due for all of them, and tells the owners by hints: the cost
 * of looking does not grow with their number. It holds a lease, and gives a sign of life by NOTIFY with
 * each renewal, so the others ask the database nothing. Who hears none for 2.5 s looks for itself, and
 * tries to take the lease. Two leaders at once would only tell everything twice.
 */
export async function startLeader(ctx: ProcessContext, listen: ListenForHints): Promise<Leader> {
  const runnerId = ctx.newId()
  let heardMs = Number.NEGATIVE_INFINITY
  let leadsUntilMs = Number.NEGATIVE_INFINITY
  const unlisten = await listen((hint) => {
    if (hint === sign) heardMs = ctx.monotonicMs()
  })
  const scope = (): Scope => {
    const nowMs = ctx.monotonicMs()
    if (nowMs < leadsUntilMs) return 'all'
    return nowMs < heardMs + silentMs ? 'none' : 'own'
  }
  const beating = startLoop(ctx, 'leader', beatEveryMs, async () => {
    if (scope() === 'none') return
    const askedMs = ctx.monotonicMs()
    const leads = await takeLeadership(ctx.db, runnerId, leaseMs, { channel: hintChannel, sign })
    leadsUntilMs = leads ? askedMs + leaseMs - marginMs : Number.NEGATIVE_INFINITY
  })
  return {
    scope,
    async stop() {
      await beating.stop()
      await unlisten()
      await releaseLeadership(ctx.db, runnerId).catch(() => undefined)
    },
  }
}
