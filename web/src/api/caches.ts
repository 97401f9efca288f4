import { notifyManager, QueryClient } from '@tanstack/react-query'
import type { Fault } from './fault.ts'

declare module '@tanstack/react-query' {
  interface Register {
    defaultError: Fault
  }
}

// Results are shown in a microtask, before the next click is handled: a button that was pressed is
// disabled before the second half of a double click.
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

/** What one person read must not be there when another signs in. */
export function clearCaches() {
  for (const cache of [personalCache, ...workspaceCaches.values()]) cache.clear()
}
