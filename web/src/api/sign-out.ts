import { briefly } from '../lib/briefly.ts'
import { clearCaches } from './caches.ts'

interface AtSignOut {
  /** A sentence about what would be lost, with which whoever signs out is asked. */
  lost?: () => string | undefined
  /** Saves first what somebody typed: without a session nothing can be saved. */
  finish?: () => Promise<void>
  /** Forgets what is held outside of the caches. What has none belongs to a page, and is registered no more. */
  forget?: () => void
}

const registered = new Set<AtSignOut>()

/** @returns forgets it, once its page is left or all of it is saved */
export function whenSigningOut(what: AtSignOut) {
  registered.add(what)
  return () => void registered.delete(what)
}

/** @returns what would be lost, in sentences */
export async function flushBeforeSignOut() {
  await briefly(Promise.all([...registered].map(({ finish }) => finish?.())))
  return new Set([...registered].flatMap(({ lost }) => lost?.() ?? []))
}

let session = new AbortController()

/** For requests that may outlive their page: aborted once who is signed in now is so no more. */
export const sessionSignal = () => session.signal

/** Nothing that one person read or has under way is there when another signs in. */
export function forgetSession() {
  session.abort()
  session = new AbortController()
  clearCaches()
  for (const each of registered) {
    if (each.forget) each.forget()
    else registered.delete(each)
  }
}
