import type { ProcessContext } from '../context.ts'

/** A transaction that committed up to so long after its rows fell due is found by the next look back. */
const lateMs = 2_000
/** Each look back reads what fell due before once more: of a burst all of it, sent or not. */
const lookBackEveryMs = 1_000
/** Who looks for more buckets than before goes back so far: longer than nobody looked for them. */
const takeoverMs = 10_000
const overlapMs = 200

type Find = (buckets: number[], from: Date, to: Date) => Promise<void>

/**
 * Looks for what fell due in these buckets since it looked last.
 *
 * @param everyMs it looks at most so often unless it was hinted to
 */
export function createPoll(ctx: ProcessContext, find: Find, everyMs = 0) {
  let polledTo = ctx.now()
  let lookedBackTo = polledTo
  let polled = 0
  let nextMs = 0
  let nextLookBackMs = 0
  return async (buckets: number[], hinted: boolean) => {
    const nowMs = ctx.monotonicMs()
    if (!hinted && nowMs < nextMs) return
    nextMs = nowMs + everyMs
    const to = ctx.now()
    const looksBack = nowMs >= nextLookBackMs
    const from = looksBack ? before(lookedBackTo, lateMs) : before(polledTo, overlapMs)
    const hasMore = buckets.length > polled
    const takenOver = before(to, takeoverMs)
    await find(buckets, hasMore && takenOver < from ? takenOver : from, to)
    polledTo = to
    polled = buckets.length
    if (!looksBack) return
    lookedBackTo = to
    nextLookBackMs = nowMs + lookBackEveryMs
  }
}

const before = (time: Date, ms: number) => new Date(time.getTime() - ms)
