import type { Context } from '../../kernel/context.ts'
import { timeOfId } from '../../kernel/ids.ts'
import type { Attempt } from './delivery.ts'
import { addCounts, type Count, insertAttempts } from './settle-queries.ts'

/**
 * Writes attempts and their counters in the caller's transaction: the only way an attempt is
 * recorded, so summaries are exactly the number of records ever written.
 */
export async function recordAttempts(tx: Context, attempts: Attempt[], slot: number) {
  if (attempts.length === 0) return
  await insertAttempts(tx.db, attempts)
  await addCounts(tx.db, tally(attempts, slot))
}

function tally(attempts: Attempt[], slot: number): Count[] {
  const counts = new Map<string, Count>()
  for (const { workspace_id, id, success } of attempts) {
    const date = timeOfId(id).toISOString().slice(0, 10)
    const key = `${workspace_id} ${date}`
    const count = counts.get(key) ?? { workspace_id, date, slot, succeeded: 0, failed: 0 }
    if (success) count.succeeded += 1
    else count.failed += 1
    counts.set(key, count)
  }
  return [...counts.values()]
}
