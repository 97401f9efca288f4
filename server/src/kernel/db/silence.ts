import type { ConnectionProbe } from './connection-probe.ts'

const tickMs = 500
/** Ticks without an answer: 3 s, so that a request that waits for one is answered within 5 s. */
const silentTicksMax = 6
/** Early enough to be let in until then. */
const probeAtTick = 3

export interface SilenceWatchOptions {
  /** Whether anything waits for the database. */
  isBusy: () => boolean
  /** Asks something that is answered at once; resolves also when that fails. */
  ask: () => Promise<unknown>
  /** Behind a pooler, which may be busy: another connection asks, too, before silence is told. */
  startProbe?: (() => ConnectionProbe) | undefined
  /** Nothing was heard for 3 s. */
  onSilence: () => void
}

/**
 * Notices a network that drops packets while sockets stay open: nothing fails then, and what waits
 * would wait for a quarter of an hour. While statements are under way the database is asked a
 * trifle twice a second. Slow statements do not count, only that no answer comes at all.
 *
 * A pooler whose connections are all in use keeps even a trifle waiting. Who is connected then is let be:
 * connecting anew would end what is under way and add to the queue.
 *
 * Ticks are counted, not time: while this process itself stands still it reads no answers, and then
 * no ticks pass either.
 *
 * @returns a function that ends it
 */
export function watchForSilence(options: SilenceWatchOptions): () => void {
  const { isBusy, ask, startProbe, onSilence } = options
  let asked = 0
  let answered = 0
  let silentTicks = 0
  let probe: ConnectionProbe | undefined
  const beginAnew = () => {
    silentTicks = 0
    probe?.end()
    probe = undefined
  }
  const tick = () => {
    if (answered < asked) {
      silentTicks += 1
      if (silentTicks === probeAtTick) probe = startProbe?.()
      if (silentTicks < silentTicksMax) return
      const isKeptWaiting = probe?.isKeptWaiting()
      beginAnew()
      if (isKeptWaiting) return
      answered = asked
      onSilence()
      return
    }
    beginAnew()
    if (!isBusy()) return
    const question = ++asked
    const hear = () => {
      answered = Math.max(answered, question)
    }
    ask().then(hear, hear)
  }
  const timer = setInterval(tick, tickMs)
  timer.unref()
  return () => {
    clearInterval(timer)
    probe?.end()
  }
}
