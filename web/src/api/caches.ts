import { notifyManager, QueryClient } from '@tanstack/react-query'
import type { Fault } from './fault.ts'

declare module '@tanstack/react-query' {
  interface Register {
    defaultError: Fault
  }
}

// Before the next click or key is handled, and not by a timer, which comes after those that already wait:
// a button that was pressed is out of use for the second half of a double click.
notifyManager.setScheduler(queueMicrotask)

const createCache = () =>
  new QueryClient({
    defaultOptions: {
      // The server may be this very machine, whatever the browser thinks of its network.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        staleTime: 30_000,
        retry: (failures, { statusCode, retryAfterMs }) =>
          failures < 2 && (statusCode >= 500 || retryAfterMs !== undefined),
        retryDelay: (failures, { retryAfterMs }) => retryAfterMs ?? 1000 * 2 ** failures,
      },
    },
  })

/** Of the person who is signed in: session, profile. */
export const personalCache = createCache()

const workspaceCaches = new Map<string, QueryClient>()

/** One for each workspace: nothing of one can be shown in another, whatever arrives late. */
export function cacheOf(workspaceId: string): QueryClient {
  const cache = workspaceCaches.get(workspaceId) ?? createCache()
  workspaceCaches.set(workspaceId, cache)
  return cache
}

/** After the server was gone, or somebody signed in again: what is on the screen is read anew. */
export const readEverythingAgain = () =>
  Promise.all(
    [personalCache, ...workspaceCaches.values()].map((cache) => cache.invalidateQueries()),
  )

const forgetting = new Map<() => void, () => boolean>()

/**
 * For what a person has under way outside of any cache.
 *
 * @param isUnderWay whether something would be lost, which whoever signs out is asked about
 */
export const onForget = (forget: () => void, isUnderWay = () => false) =>
  void forgetting.set(forget, isUnderWay)

export const isAnythingUnderWay = () => [...forgetting.values()].some((isUnderWay) => isUnderWay())

const finishing = new Map<() => Promise<void>, () => boolean>()

/**
 * For what is saved a moment after it was typed: without a session nothing can be.
 *
 * @param isUnsaved whether something could not be saved, which whoever signs out is asked about
 * @returns forgets it, once its page is left
 */
export function beforeSignOut(finish: () => Promise<void>, isUnsaved: () => boolean) {
  finishing.set(finish, isUnsaved)
  return () => void finishing.delete(finish)
}

/** @returns whether something could not be saved */
export async function finishEverything() {
  await Promise.all([...finishing.keys()].map((finish) => finish()))
  return [...finishing.values()].some((isUnsaved) => isUnsaved())
}

/** What one person read must not be there when another signs in. */
export function forgetEverything() {
  for (const cache of [personalCache, ...workspaceCaches.values()]) cache.clear()
  for (const forget of forgetting.keys()) forget()
}
