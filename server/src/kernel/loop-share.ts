import type { AnyContext } from './context.ts'
import { nextTurn } from './next-turn.ts'

/** Work that adds up to this much lets the event loop turn before more of it begins. */
const heldMaxMs = 10

let heldMs = 0
let turn: Promise<void> | undefined

/**
 * Runs synchronous work of which much may come at once (parsing and rendering templates), so that
 * the process answers other requests in between: a single piece is bounded by whoever does it, and
 * here no more of them follow each other without a turn of the event loop.
 *
 * @throws what `work` throws
 */
export async function shareLoop<T>(
  { monotonicMs }: Pick<AnyContext, 'monotonicMs'>,
  work: () => T,
): Promise<T> {
  // All who waited go on in the same turn, so the first of them may have used it up again.
  while (turn) await turn
  const startedMs = monotonicMs()
  try {
    return work()
  } finally {
    heldMs += monotonicMs() - startedMs
    if (heldMs > heldMaxMs) turn = beginNextTurn()
  }
}

async function beginNextTurn(): Promise<void> {
  heldMs = 0
  await nextTurn()
  turn = undefined
}
