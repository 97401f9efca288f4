import { environment } from '../config.ts'
import { sleep } from '../kernel/create-context.ts'
import { within } from '../kernel/within.ts'

/** How an operator or a supervisor ends this process. */
export interface StopRequest {
  /** Aborted at the first SIGINT, SIGTERM or SIGHUP, or once npx has ended. */
  signal: AbortSignal
  requested: Promise<void>
}

const patienceMs = 10_000
const lookForParentMs = 100

/**
 * Ctrl-C under `npm start` arrives twice, from the terminal and from npm, so the second signal
 * means nothing; the third, or 10 s, ends the process as it is. That loses no data either. A terminal
 * that is closed, or an ssh session that is lost, says so by SIGHUP: as often as the shell and the
 * system like, so it is never taken for impatience. npx passes a SIGTERM on to its shell alone and ends:
 * what it has started sees that its parent is gone.
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
  const hearOnce = () => {
    if (heard === 0) hear()
  }
  process.on('SIGHUP', hearOnce)
  if (environment.npm_command === 'exec') {
    const parent = process.ppid
    setInterval(() => process.ppid !== parent && hearOnce(), lookForParentMs).unref()
  }
  return { signal: stopping.signal, requested }
}

function endByForce() {
  process.stderr.write('Outrider was ended before everything had stopped.\n')
  process.exit(1)
}

/** At a stop, one thing that hangs must not keep the others from ending. */
export const withTimeout = <T>(promise: Promise<T>, ms = 1000): Promise<T | undefined> =>
  within({ sleep }, ms, promise)
