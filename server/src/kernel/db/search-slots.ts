import type { Context } from '../context.ts'
import { limitAtOnce } from '../limit-at-once.ts'
import { FairSemaphore } from '../runner/fair-semaphore.ts'
import { type Pool, poolOf } from './db.ts'

const ofWorkspaceMax = 3
/**
 * Searches that wait count as well, as the lists of a large team do which is told of one change: what nobody waits
 * for any more is looked for all the same.
 */
const takeSlot = limitAtOnce('searches', { ofWorkspaceMax: 100, ofProcessMax: 400 })

const semaphores = new WeakMap<Pool, FairSemaphore>()

/**
 * Looks for something by a statement that may go through everything a workspace has. Few of one workspace
 * run at a time, and of all together they have no more than half of the connections: whoever searches a
 * large workspace very often keeps nobody else waiting for one.
 *
 * @param isBegun something was answered already: it waits for its turn, and is not refused any more
 */
export async function searchInTurn<T>(
  { db, config }: Context,
  work: () => Promise<T>,
  { isBegun = false } = {},
): Promise<T> {
  const pool = poolOf(db)
  // An open transaction has its connection.
  if (!pool) return work()
  using _slot = isBegun ? undefined : takeSlot(pool, db.workspaceId)
  const half = Math.ceil(config.databaseConnectionsMax / 2)
  const semaphore = semaphores.get(pool) ?? new FairSemaphore(half, ofWorkspaceMax)
  semaphores.set(pool, semaphore)
  return await semaphore.run(db.workspaceId, work)
}
