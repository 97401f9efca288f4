import type { Context, ProcessContext } from '../context.ts'
import { dropPartition, listPartitions, type PartitionedTable } from '../db/partitions.ts'
import type { SealedColumn } from '../sealed-columns/index.ts'
import * as queries from './idempotency-queries.ts'

/** How long an answer is given again for its Idempotency-Key. */
export const keptMs = 24 * 3_600_000

/** What an answer is sealed for: it opens for no other workspace. */
export const purposeOf = ({ workspaceId }: { workspaceId: string }) => `idempotency:${workspaceId}`

export const sealedAnswers: SealedColumn[] = [
  {
    ...{ table: 'idempotency_answers', column: 'answer', label: 'kept answers' },
    key: { workspace_id: 'uuid', day: 'date', key_hash: 'bytea' },
    purpose: ({ workspace_id = '' }) => purposeOf({ workspaceId: workspace_id }),
    isShortLived: true,
  },
]

interface KeptRange {
  /** What an earlier call named last. */
  after: string | null
  /** Answers that were kept before are not looked at. */
  since: Date | null
  limit: number
}

/**
 * Deletes those of the next kept answers of a workspace that are meant: they are sealed, so each one is
 * opened.
 *
 * @returns how many went, how many were looked at, and the last of these
 */
export async function forgetAnswers(
  tx: Context,
  workspaceId: string,
  isMeant: (kept: string) => boolean,
  { after, since, limit }: KeptRange,
) {
  const [day = '0001-01-01', hash = ''] = after?.split(' ') ?? []
  const answers = await queries.listAnswers(tx.db, workspaceId, {
    ...{ day, keyHash: Buffer.from(hash, 'hex'), limit },
    since: since ?? new Date(tx.now().getTime() - keptMs),
  })
  let count = 0
  for (const { day, key_hash, answer } of answers) {
    if (!answer) continue
    const kept = tx.secrets.open(answer, purposeOf({ workspaceId }))
    if (!isMeant(kept)) continue
    await queries.deleteAnswer(tx.db, workspaceId, day, key_hash)
    count += 1
  }
  const last = answers.at(-1)
  const place = last ? `${last.day} ${last.key_hash.toString('hex')}` : null
  return { count, lookedAt: answers.length, last: place }
}

export const answersTable: PartitionedTable = { name: 'idempotency_answers', by: 'day' }

/** A day's answers go once all of them are older than 24 h. */
export async function dropOldAnswers(ctx: ProcessContext) {
  const limit = new Date(ctx.now().getTime() - keptMs)
  for (const partition of await listPartitions(ctx.db, answersTable)) {
    if (partition.end <= limit) await dropPartition(ctx.db, answersTable, partition)
  }
}
