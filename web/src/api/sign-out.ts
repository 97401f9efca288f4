import { clearCaches } from './caches.ts'

const registered = new Map<() => void, () => boolean>()

/**
 * Registers what is held outside of the caches and must be forgotten when somebody signs out.
 *
 * @param isUnderWay whether something would be lost, which whoever signs out is asked about
 */
export const onSignOut = (forget: () => void, isUnderWay = () => false) =>
  void registered.set(forget, isUnderWay)

export const isAnythingUnderWay = () => [...registered.values()].some((isUnderWay) => isUnderWay())

const unsaved = new Map<() => Promise<void>, () => boolean>()

/**
 * For what is saved a moment after it was typed: without a session nothing can be.
 *
 * @param isUnsaved whether something could not be saved, which whoever signs out is asked about
 * @returns forgets it, once its page is left
 */
export function beforeSignOut(finish: () => Promise<void>, isUnsaved: () => boolean) {
  unsaved.set(finish, isUnsaved)
  return () => void unsaved.delete(finish)
}

/** @returns whether something could not be saved */
export async function flushBeforeSignOut() {
  await Promise.all([...unsaved.keys()].map((finish) => finish()))
  return [...unsaved.values()].some((isUnsaved) => isUnsaved())
}

/** Nothing that one person read or has under way is there when another signs in. */
export function forgetSession() {
  clearCaches()
  for (const forget of registered.keys()) forget()
}
