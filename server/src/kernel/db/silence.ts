const tickMs = 500
/** Ticks without an answer: 3 s, so that a request that waits for one is answered within 5 s. */
const silentTicksMax = 6

export interface SilenceWatchOptions {
  /** Whether anything waits for the database. */
  isBusy: () => boolean
  /** Asks something that is answered at once; resolves also when that fails. */
  ask: () => Promise<unknown>
  /** Nothing was heard for 3 s. */
  onSilence: () => void
}

/**
 * Notices a network that drops packets while sockets stay open: nothing fails then, and what waits
 * would wait for a quarter of an hour. While statements are under way the database is asked a
 * trifle twice a second. Slow statements do not count, only that no answer comes at all.
 *
 * Ticks are counted, not time: while this process itself stands still it reads no answers, and then
 * no ticks pass either.
 *
 * @returns a function that ends it
 */
export function watchForSilence({ isBusy, ask, onSilence }: SilenceWatchOptions): () => void {
  let asked = 0
  let answered = 0
  let silentTicks = 0
  const tick = () => {
    if (answered < asked) {
      silentTicks += 1
      if (silentTicks < silentTicksMax) return
      answered = asked
      onSilence()
      return
    }
    silentTicks = 0
    if (!isBusy()) return
    const question = ++asked
    const hear = () => {
      answered = Math.max(answered, question)
    }
    ask().then(hear, hear)
  }
  const timer = setInterval(tick, tickMs)
  timer.unref()
  return () => clearInterval(timer)
}
