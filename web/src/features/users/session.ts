import { getRouteApi, useRouter } from '@tanstack/react-router'
import { personalCache } from '../../api/caches.ts'
import { setConnection } from '../../api/connection.ts'
import {
  getSessionOptions,
  getSessionQueryKey,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { SessionState } from '../../api/generated/types.gen.ts'

const signedIn = getRouteApi('/signed-in')
const inWorkspace = getRouteApi('/signed-in/w/$handle')

/** Kept however long no step asks for it: within the application nothing else does. */
const sessionOptions = () => ({ ...getSessionOptions(), gcTime: Number.POSITIVE_INFINITY })

/**
 * Read again when it is older than the cache allows, which `ensureQueryData` would not. Whoever was
 * signed in keeps the page while the server is away, and when the session ends: a notice over it says so.
 * Somebody else who has signed in meanwhile sees nothing of theirs.
 */
export async function readSession() {
  const key = getSessionQueryKey()
  const known = personalCache.getQueryData<SessionState>(key)
  if (!known?.user) return personalCache.fetchQuery(sessionOptions())
  const read = await personalCache.fetchQuery(sessionOptions()).catch(() => known)
  if (read.user && read.user.id !== known.user.id) window.location.reload()
  if (read.user) return read
  setConnection('signed-out')
  // It is asked for again at the next step.
  personalCache.setQueryData(key, known, { updatedAt: 0 })
  return known
}

/** Who is signed in, and where they may go. */
export const useSignedIn = () => signedIn.useRouteContext().session

/** The workspace of the address, with the role in it. */
export const useWorkspace = () => inWorkspace.useRouteContext().workspace

/** After a change of what the session shows: names, workspaces, the second factor. */
export function useSessionRefresh() {
  const router = useRouter()
  return async () => {
    await personalCache.invalidateQueries({ queryKey: getSessionQueryKey() })
    await router.invalidate()
  }
}
