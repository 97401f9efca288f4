/** Below it a difference is the way of an answer and not a clock that is wrong. */
const differenceMinMs = 60_000

let aheadMs = 0

/** @param time the header of an answer that was made just now */
export function learnTime(time: string | null) {
  const difference = Date.parse(time ?? '') - Date.now()
  if (Number.isNaN(difference)) return
  aheadMs = Math.abs(difference) < differenceMinMs ? 0 : difference
}

/**
 * The server's time, of which all times on a page are: on a computer whose clock is a day off "in 3 hours"
 * is in three hours all the same.
 */
export const nowMs = () => Date.now() + aheadMs
