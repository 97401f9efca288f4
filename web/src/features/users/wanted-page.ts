import type { SessionState } from '../../api/generated/types.gen.ts'
import { readStored, writeStored } from '../../lib/browser-storage.ts'

const name = 'outrider-wanted'
const area = 'sessionStorage'

type Workspaces = Pick<SessionState, 'workspaces'>

/**
 * Where somebody wanted to go who has to sign in first: at a provider, or by a link for a new password,
 * and this tab comes back without it.
 */
export const keepWanted = (path: string | undefined) => void writeStored(name, path, area)

export const readWanted = () => readStored(name, area) ?? undefined

/** Once: whoever opens the first page later wants that. */
export function takeWanted(session: Workspaces): string | undefined {
  const path = readWanted()
  keepWanted(undefined)
  return ifAllowed(path, session)
}

/**
 * The path, unless it is in a workspace of which they are no member: somebody else may have used this browser
 * before.
 */
export function ifAllowed(
  path: string | undefined,
  { workspaces }: Workspaces,
): string | undefined {
  const [, handle] = /^\/w\/([^/?#]*)/.exec(path ?? '') ?? []
  const isOwn = handle === undefined || workspaces.some((each) => each.handle === handle)
  return isOwn ? path : undefined
}
