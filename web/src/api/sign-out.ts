import { clearCaches } from './caches.ts'

/** What ends half done with the session. */
type UnderWay = 'answer' | 'upload'

const registered = new Map<() => void, () => UnderWay | undefined>()

/**
 * Registers what is held outside of the caches and must be forgotten when somebody signs out.
 *
 * @param underWay what would end half done, which whoever signs out is asked about
 */
export const onSignOut = (
  forget: () => void,
  underWay: () => UnderWay | undefined = () => undefined,
) => void registered.set(forget, underWay)

export const whatIsUnderWay = () => [...registered.values()].flatMap((underWay) => underWay() ?? [])

const unsaved = new Map<() => Promise<void>, () => string | undefined>()

/**
 * For what somebody typed: without a session nothing can be saved.
 *
 * @param lost a sentence about what could not be saved, with which whoever signs out is asked
 * @returns forgets it, once its page is left or all of it is saved
 */
export function beforeSignOut(finish: () => Promise<void>, lost: () => string | undefined) {
  unsaved.set(finish, lost)
  return () => void unsaved.delete(finish)
}

/** @returns what could not be saved, in sentences */
export async function flushBeforeSignOut() {
  await Promise.all([...unsaved.keys()].map((finish) => finish()))
  return [...unsaved.values()].flatMap((lost) => lost() ?? [])
}

let session = new AbortController()

/** For requests that may outlive their page: aborted once who is signed in now is so no more. */
export const sessionSignal = () => session.signal

/** Nothing that one person read or has under way is there when another signs in. */
export function forgetSession() {
  session.abort()
  session = new AbortController()
  clearCaches()
  unsaved.clear()
  for (const forget of registered.keys()) forget()
}
