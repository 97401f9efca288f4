/** Wall time that follows the database: a monotonic clock plus a measured offset. */
export interface Clock {
  now: () => Date
  monotonicMs: () => number
  /** Measures the offset again; `readDatabaseTime` is one statement. */
  synchronise: (readDatabaseTime: () => Promise<Date>) => Promise<void>
}

export function createClock(
  monotonicMs: () => number = () => performance.now(),
  wallMs: number = performance.timeOrigin + performance.now(),
): Clock {
  let offsetMs = wallMs - monotonicMs()
  return {
    now: () => new Date(monotonicMs() + offsetMs),
    monotonicMs,
    async synchronise(readDatabaseTime) {
      const sentMs = monotonicMs()
      const databaseTime = await readDatabaseTime()
      const receivedMs = monotonicMs()
      // The answer was made somewhere between the two readings: half the round trip is the best guess.
      offsetMs = databaseTime.getTime() - (sentMs + receivedMs) / 2
    },
  }
}
