import { AppError } from './errors.ts'

interface UnderWay {
  total: number
  byWorkspace: Map<string, number>
}

/**
 * Limits how many tests of servers that others name are under way: one lasts, and holds connections, for
 * as long as such a server likes.
 *
 * @param what in the plural
 * @returns takes a slot for a test, until it is disposed of. Slots are counted per network client, of
 * which a process has one: its connections are what tests must not use up. It throws 429 `rate_limited`
 * when the workspace has too many under way, 503 `unavailable` when all together have
 */
export function limitTests(
  what: string,
  { ofWorkspaceMax, ofProcessMax }: { ofWorkspaceMax: number; ofProcessMax: number },
): (client: object, workspaceId: string) => Disposable {
  const ofClient = new WeakMap<object, UnderWay>()
  return (client, workspaceId) => {
    const underWay = ofClient.get(client) ?? { total: 0, byWorkspace: new Map<string, number>() }
    ofClient.set(client, underWay)
    const { byWorkspace } = underWay
    const own = byWorkspace.get(workspaceId) ?? 0
    if (own >= ofWorkspaceMax) {
      throw new AppError(
        'rate_limited',
        `A workspace runs at most ${ofWorkspaceMax} ${what} at once; wait until one has ended.`,
      )
    }
    if (underWay.total >= ofProcessMax) {
      throw new AppError('unavailable', `Too many ${what} are under way; wait and try again.`)
    }
    underWay.total += 1
    byWorkspace.set(workspaceId, own + 1)
    return {
      [Symbol.dispose]() {
        underWay.total -= 1
        const left = (byWorkspace.get(workspaceId) ?? 1) - 1
        if (left > 0) byWorkspace.set(workspaceId, left)
        else byWorkspace.delete(workspaceId)
      },
    }
  }
}
