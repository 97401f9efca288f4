import { setTimeout as wait } from 'node:timers/promises'

/** How an operator or a supervisor ends this process. */
export interface StopRequest {
  /** Aborted at the first SIGINT or SIGTERM. */
  signal: AbortSignal
  requested: Promise<void>
}

const patienceMs = 10_000

/**
 * Ctrl-C under `npm start` arrives twice, from the terminal and from npm, so the second signal
 * means nothing; the third, or 10 s, ends the process as it is. That loses no data either.
 */
export function listenForStop(): StopRequest {
  const stopping = new AbortController()
  const { promise: requested, resolve } = Promise.withResolvers<void>()
  let heard = 0
  const hear = () => {
    heard += 1
    if (heard > 2) endByForce()
    if (heard > 1) return
    stopping.abort()
    resolve()
    setTimeout(endByForce, patienceMs).unref()
  }
  process.on('SIGINT', hear)
  process.on('SIGTERM', hear)
  return { signal: stopping.signal, requested }
}

function endByForce() {
  process.stderr.write('Outrider was ended before everything had stopped.\n')
  process.exit(1)
}

/**
 * Waits for a promise, but not for ever: at a stop, one thing that hangs must not keep the others
 * from ending.
 *
 * @returns false when `ms` milliseconds passed first
 */
export async function withTimeout(ms: number, promise: Promise<unknown>): Promise<boolean> {
  const calledOff = new AbortController()
  const late = wait(ms, false, { signal: calledOff.signal }).catch(() => false)
  return Promise.race([promise.then(() => true), late]).finally(() => calledOff.abort())
}
