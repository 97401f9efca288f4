import type { AnyContext } from '../../kernel/context.ts'
import { dayMs } from '../../kernel/durations.ts'
import { timeOfId } from '../../kernel/ids.ts'
import { tellPages } from '../live/index.ts'
import type { Attempt } from './delivery.ts'
import { addCounts, type Count, insertAttempts } from './settle-queries.ts'

/** Counters are striped, so that their writers rarely wait for one another. */
const countStripes = 16

/** Which stripe of the counters a writer adds to. */
export const chooseCountStripe = ({ random }: AnyContext) => Math.floor(random() * countStripes)

/**
 * Writes attempts and their counters in the caller's transaction: the only way an attempt is
 * recorded, so summaries are exactly the number of records ever written.
 */
export async function recordAttempts(tx: AnyContext, attempts: Attempt[], countStripe: number) {
  if (attempts.length === 0) return
  await insertAttempts(tx.db, attempts)
  await addCounts(tx.db, tally(attempts, countStripe))
  for (const workspaceId of new Set(attempts.map((attempt) => attempt.workspace_id)))
    tellPages(tx, workspaceId, ['deliveries'])
}

function tally(attempts: Attempt[], countStripe: number): Count[] {
  const counts = new Map<string, Map<number, Count>>()
  for (const { workspace_id, webhook_id, id, success } of attempts) {
    const at = timeOfId(id)
    const day = Math.floor(at.getTime() / dayMs)
    const days = counts.get(webhook_id) ?? new Map<number, Count>()
    counts.set(webhook_id, days)
    const count = days.get(day) ?? newCount({ workspace_id, webhook_id }, at, countStripe)
    days.set(day, count)
    if (success) count.succeeded += 1
    else count.failed += 1
  }
  return [...counts.values()].flatMap((days) => [...days.values()])
}

const newCount = (
  webhook: Pick<Attempt, 'workspace_id' | 'webhook_id'>,
  at: Date,
  countStripe: number,
): Count => ({
  ...webhook,
  date: at.toISOString().slice(0, 10),
  slot: countStripe,
  succeeded: 0,
  failed: 0,
})
