import type { ProcessContext } from '../context.ts'

/** A transaction that committed up to so long after its rows fell due is found by the next poll. */
const overlapMs = 2_000
/** Who looks for more buckets than before goes back so far: longer than nobody looked for them. */
const takeoverMs = 10_000
const hintOverlapMs = 200

type Find = (buckets: number[], from: Date, to: Date) => Promise<void>

/**
 * Looks for what fell due in these buckets since it looked last.
 *
 * @param everyMs it looks at most so often unless it was hinted to
 */
export function createPoll(ctx: ProcessContext, find: Find, everyMs = 0) {
  let polledTo = new Date(ctx.now().getTime() - overlapMs)
  let polled = 0
  let nextMs = 0
  return async (buckets: number[], hinted: boolean) => {
    if (!hinted && ctx.monotonicMs() < nextMs) return
    nextMs = ctx.monotonicMs() + everyMs
    const to = ctx.now()
    const from = new Date(polledTo.getTime() - (hinted ? hintOverlapMs : overlapMs))
    const hasMore = buckets.length > polled
    const takenOver = new Date(to.getTime() - takeoverMs)
    await find(buckets, hasMore && takenOver < from ? takenOver : from, to)
    polledTo = to
    polled = buckets.length
  }
}
