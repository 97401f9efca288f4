import { AppError } from './errors.ts'

interface UnderWay {
  total: number
  byWorkspace: Map<string, number>
}

/**
 * Limits how many requests have something under way that lasts for as long as others like: what a server
 * that they name is asked, what a mail that they wrote costs, a search through all that they have.
 *
 * @param what in the plural
 * @returns takes a slot, until it is disposed of. Slots are counted per object that a process has one of
 * and that must not be used up, such as a network client or the pool of a database. It throws 429
 * `rate_limited` when the workspace has too many under way, 503 `unavailable` when all together have
 */
export function limitAtOnce(
  what: string,
  { ofWorkspaceMax, ofProcessMax }: { ofWorkspaceMax: number; ofProcessMax: number },
): (shared: object, workspaceId: string) => Disposable {
  const ofShared = new WeakMap<object, UnderWay>()
  return (shared, workspaceId) => {
    const underWay = ofShared.get(shared) ?? { total: 0, byWorkspace: new Map<string, number>() }
    ofShared.set(shared, underWay)
    const { byWorkspace } = underWay
    const own = byWorkspace.get(workspaceId) ?? 0
    if (own >= ofWorkspaceMax) {
      throw new AppError(
        'rate_limited',
        `A workspace has at most ${ofWorkspaceMax} ${what} at once; wait until one has ended.`,
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
