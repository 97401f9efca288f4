import { processorMs, slowness } from './processor-speed.ts'

/**
 * The longest that this thread's event loop was held by one turn while something ran, in
 * milliseconds of processor time: what another client would have waited for its answer, on a
 * machine of usual speed that does nothing else.
 */
export async function longestTurnMs(during: () => Promise<unknown>): Promise<number> {
  const slownessBefore = slowness()
  let longestMs = 0
  let isOver = false
  const watching = (async () => {
    for (let lastMs = processorMs(); !isOver; ) {
      await new Promise((resolve) => setImmediate(resolve))
      const nowMs = processorMs()
      longestMs = Math.max(longestMs, nowMs - lastMs)
      lastMs = nowMs
    }
  })()
  try {
    await during()
  } finally {
    isOver = true
    await watching
  }
  // A machine may have become slower or faster meanwhile.
  return longestMs / Math.max(slownessBefore, slowness())
}
