import type { AnyContext } from '../context.ts'
import { explainUnavailable, isClosed, movingOf } from './failure.ts'

const againMs = 500

/**
 * For what was done already, and would be lost: is not given up while the database is away, or the workspace
 * on its way to another one.
 *
 * @throws what no later attempt changes, and what fails still after so long
 */
export async function untilStored<T>(
  ctx: Pick<AnyContext, 'monotonicMs' | 'sleep'>,
  forMs: number,
  store: () => Promise<T>,
): Promise<T> {
  const sinceMs = ctx.monotonicMs()
  for (;;) {
    try {
      return await store()
    } catch (error) {
      const isLate = ctx.monotonicMs() - sinceMs > forMs
      const isFinal = isClosed(error) || movingOf(error)?.isMoved || !explainUnavailable(error)
      if (isLate || isFinal) throw error
      await ctx.sleep(againMs)
    }
  }
}
