import { type QueryFunctionContext, useQuery } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { personalCache } from '../../api/caches.ts'
import { setConnection } from '../../api/connection.ts'
import {
  getSessionOptions,
  getSessionQueryKey,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { getSession } from '../../api/generated/sdk.gen.ts'
import type { SessionState } from '../../api/generated/types.gen.ts'
import { isAtLeast, type Role } from './roles.ts'

const signedIn = getRouteApi('/signed-in')
const inWorkspace = getRouteApi('/signed-in/w/$handle')

const knownSession = () => personalCache.getQueryData<SessionState>(getSessionQueryKey())

/**
 * Whoever was signed in keeps the page when the session ends: a notice over it says so. Somebody else who
 * has signed in meanwhile sees nothing of theirs.
 */
const sessionOptions = () => ({
  ...getSessionOptions(),
  async queryFn({ signal }: QueryFunctionContext) {
    const { data: read } = await getSession({ signal })
    const known = knownSession()
    if (!known?.user || read.user?.id === known.user.id) return read
    if (read.user) window.location.reload()
    else setConnection('signed-out')
    return known
  },
})

/**
 * Who is signed in, as far as is known: no step within the application waits for the server. What is older
 * than the cache allows is read again meanwhile, and the shell shows what that finds.
 */
export async function readSession() {
  const known = knownSession()
  if (!known?.user) return personalCache.fetchQuery(sessionOptions())
  void personalCache.prefetchQuery(sessionOptions())
  return known
}

/** Gives the pages what a reading has changed. */
export function useSessionChanges() {
  const router = useRouter()
  const { data } = useQuery(sessionOptions())
  const shown = useRef(data)
  useEffect(() => {
    if (data === shown.current) return
    shown.current = data
    void router.invalidate()
  }, [data, router])
}

/** Who is signed in, and where they may go. */
export const useSignedIn = () => signedIn.useRouteContext().session

/** The workspace of the address, with the role in it. */
export const useWorkspace = () => inWorkspace.useRouteContext().workspace

/** Whoever may not is shown no button for it. */
export const useMay = (least: Role) => isAtLeast(useWorkspace().role, least)

/** After a change of what the session shows: names, workspaces, the second factor. */
export const refreshSession = () =>
  personalCache.invalidateQueries({ queryKey: getSessionQueryKey() })
