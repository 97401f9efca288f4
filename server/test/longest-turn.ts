import { processorMs, slowness } from './processor-speed.ts'

let slownessAtFirst: number | undefined

/**
 * The longest that this thread's event loop was held by one turn while something ran, in
 * milliseconds of processor time: what another client would have waited for its answer, on a
 * machine of usual speed that does nothing else. What is below the limit on this machine is so there,
 * too, and is told as it was measured: to measure a machine takes longer than most turns.
 */
export async function longestTurnMs(
  limitMs: number,
  during: () => Promise<unknown>,
): Promise<number> {
  slownessAtFirst ??= slowness()
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
  if (longestMs < limitMs) return longestMs
  // A machine may have become slower or faster meanwhile.
  return longestMs / Math.max(slownessAtFirst, slowness())
}
