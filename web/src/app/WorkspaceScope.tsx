import { QueryClientProvider } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { Suspense, useEffect } from 'react'
import { cacheOf } from '../api/caches.ts'
import { setWorkspace } from '../api/client.ts'
import { refreshSession, useSignedIn, useWorkspace } from '../features/users/index.ts'
import { lazyPart } from '../lib/lazy-part.ts'
import { rememberWorkspace } from '../lib/remembered-workspace.ts'
import { leaveWorkspace } from '../lib/workspace-leave.ts'
import { followWorkspace } from './live.ts'

// The title of the tab and the navigation have time until the page is there.
const WaitingCount = lazyPart(() => import('../features/inbox/WaitingCount.tsx'), 'WaitingCount')
// Seen by few.
const TakenOut = lazyPart(() => import('./shell/TakenOut.tsx'), 'TakenOut')

/**
 * What all pages of a workspace share: requests carry its id, it has its own query cache, and its live
 * changes are followed.
 */
export function WorkspaceScope() {
  const { id, handle } = useWorkspace()
  const isMissing = !useSignedIn().workspaces.some((workspace) => workspace.id === id)
  // Before the pages below ask for anything, which an effect would be too late for.
  setWorkspace(id)
  useEffect(() => rememberWorkspace(handle), [handle])
  useEffect(() => {
    const end = followWorkspace({
      ...{ workspaceId: id, cache: cacheOf(id) },
      onSessionChange: () => void refreshSession(),
    })
    return () => {
      end()
      leaveWorkspace()
    }
  }, [id])
  return (
    <QueryClientProvider client={cacheOf(id)}>
      {/* Keyed by workspace, because a query observer keeps the client that it was created with. */}
      <Suspense>
        <WaitingCount key={id} />
        {isMissing && <TakenOut />}
      </Suspense>
      <Outlet key={id} />
    </QueryClientProvider>
  )
}
