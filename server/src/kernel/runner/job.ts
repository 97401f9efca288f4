import type { AnyContext, ProcessContext } from '../context.ts'
import { hintDue, type ListenForHints, readHint } from './hint.ts'
import type { Scope } from './leader.ts'
import { allBuckets, bucketOf } from './leases.ts'
import { startLoop } from './loop.ts'

/** Tells one runner of a job that any of them can do, after the commit. */
export function hintJob(tx: AnyContext, kind: string, id: string) {
  tx.afterCommit?.((ctx) => hintDue(ctx, { kind, buckets: [bucketOf(id)] }))
}

interface JobOptions {
  /** Whose jobs this runner looks for without a hint. */
  scope: () => Scope
  /** Hints to one of these are for this runner. */
  buckets: () => number[]
  /** Absent: each runner finds jobs by its own looks alone. */
  listen?: ListenForHints
  /** Does what is there to do. */
  look: () => Promise<void>
  /** Whether this process has as many jobs under way as it takes, so that it does not look. */
  isFull?: () => boolean
}

const lookEveryMs = 1_000
/** The leader hears hints: only a job whose hint was lost is found so late. */
const leaderLooksEveryMs = 5_000

/**
 * Does jobs that any runner can do. A hint tells one runner of a new job; what no hint told of is found
 * by the leader alone, or by everybody where none is heard of. A leader that is busy lets another runner
 * look in its turn, so neither a long job nor the number of runners makes a difference to the others.
 *
 * @param kind of the hints
 */
export function startJob(ctx: ProcessContext, kind: string, options: JobOptions) {
  const { scope, buckets, listen, look, isFull = () => false } = options
  let isLooking = false
  let nextLookMs = 0
  const working = startLoop(ctx, kind, lookEveryMs, async (told) => {
    const isEarly = scope() === 'all' && ctx.monotonicMs() < nextLookMs
    if (!told && (isEarly || scope() === 'none')) return
    nextLookMs = ctx.monotonicMs() + leaderLooksEveryMs
    isLooking = true
    await look().finally(() => {
      isLooking = false
    })
  })
  const passing = startLoop(ctx, `${kind} for others`, leaderLooksEveryMs, async () => {
    if (scope() !== 'all' || !(isLooking || isFull())) return
    const own = new Set(buckets())
    const others = allBuckets.filter((bucket) => !own.has(bucket))
    const bucket = others[Math.floor(ctx.random() * others.length)]
    if (bucket !== undefined) hintDue(ctx, { kind, buckets: [bucket] })
  })
  const unlisten = listen?.((hint) => {
    if (readHint(hint, kind, buckets())) working.wake()
  })
  return {
    async stop() {
      await (await unlisten)?.()
      await Promise.all([working.stop(), passing.stop()])
    },
  }
}
