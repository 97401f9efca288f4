/**
 * The longest that this thread's event loop was held by one turn while something ran, in
 * milliseconds of processor time: what another client would have waited for its answer, on a
 * machine that does nothing else.
 */
export async function longestTurnMs(during: () => Promise<unknown>): Promise<number> {
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
  return longestMs
}

/** That this thread has used so far. */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
