import { QueryClientProvider } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { useEffect } from 'react'
import { cacheOf } from '../api/caches.ts'
import { setWorkspace } from '../api/client.ts'
import { useWorkspace } from '../features/users/index.ts'
import { rememberWorkspace } from '../lib/remembered.ts'

/** Everything of a workspace: its requests name it, and it has a cache of its own. */
export function WorkspaceScope() {
  const { id, handle } = useWorkspace()
  // Before the pages below ask for anything, which an effect would be too late for.
  setWorkspace(id)
  useEffect(() => rememberWorkspace(handle), [handle])
  return (
    <QueryClientProvider client={cacheOf(id)}>
      <Outlet key={id} />
    </QueryClientProvider>
  )
}
