import { getRouteApi, useRouter } from '@tanstack/react-router'
import { personalCache } from '../../api/caches.ts'
import {
  getSessionOptions,
  getSessionQueryKey,
} from '../../api/generated/@tanstack/react-query.gen.ts'

const signedIn = getRouteApi('/signed-in')
const inWorkspace = getRouteApi('/signed-in/w/$handle')

/** Read again when it is older than the cache allows, which `ensureQueryData` would not. */
export const readSession = () => personalCache.fetchQuery(getSessionOptions())

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
