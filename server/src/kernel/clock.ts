/** Wall time that follows the database: a monotonic clock plus a measured offset. */
export interface Clock {
  now: () => Date
  monotonicMs: () => number
  /** Measures the offset again; `readDatabaseTime` is one statement. */
  synchronise: (readDatabaseTime: () => Promise<Date>) => Promise<void>
  /** What is to happen when the machine has slept or its clock was put: the offset is a guess by then. */
  onLeap: (callback: () => void) => void
}

/** Below it a difference is a process that was held up between reading the one clock and the other. */
const leapMinMs = 5000

/**
 * The clock of a process stands still while its machine sleeps, and the machine's own is put right
 * afterwards. A leap forward of that one is believed until the database was asked: otherwise the process would
 * go on at the time at which it fell asleep. It ends deadlines, too, such as those of leases.
 */
export function createClock(
  awakeMs: () => number = () => performance.now(),
  wallMs: () => number = Date.now,
): Clock {
  let apartMs = wallMs() - awakeMs()
  let asleepMs = 0
  let offsetMs = apartMs
  let tellLeap = () => {}

  const monotonicMs = () => {
    const leaptMs = wallMs() - awakeMs() - apartMs
    if (Math.abs(leaptMs) >= leapMinMs) {
      apartMs += leaptMs
      // Nobody sleeps backwards: what puts a clock back says nothing of the time that the database told.
      if (leaptMs > 0) asleepMs += leaptMs
      tellLeap()
    }
    return awakeMs() + asleepMs
  }

  async function synchronise(readDatabaseTime: () => Promise<Date>): Promise<void> {
    const sentMs = monotonicMs()
    const sentApartMs = apartMs
    const databaseTime = await readDatabaseTime()
    const receivedMs = monotonicMs()
    // Nobody knows on which side of a leap the answer was made.
    if (apartMs !== sentApartMs) return synchronise(readDatabaseTime)
    // Many small corrections, each of which is no leap, are none together.
    apartMs = wallMs() - awakeMs()
    // The answer was made somewhere between the two readings: half the round trip is the best guess.
    offsetMs = databaseTime.getTime() - (sentMs + receivedMs) / 2
  }

  return {
    // The clock is read first, since that may move the offset.
    now: () => new Date(monotonicMs() + offsetMs),
    monotonicMs,
    synchronise,
    onLeap: (callback) => {
      tellLeap = callback
    },
  }
}
