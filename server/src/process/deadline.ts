import { setTimeout as wait } from 'node:timers/promises'

/**
 * Waits for an ending, but not for ever: one thing that hangs must not keep the others from ending.
 *
 * @returns false when the time was up first
 */
export async function atMost(ms: number, ending: Promise<unknown>): Promise<boolean> {
  const calledOff = new AbortController()
  const late = wait(ms, false, { signal: calledOff.signal }).catch(() => false)
  return Promise.race([ending.then(() => true), late]).finally(() => calledOff.abort())
}
