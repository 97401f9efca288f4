import type { AnyContext } from '../../../kernel/context.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import type { Batch } from './batch.ts'
import * as queries from './queries.ts'
import type { Report } from './report.ts'
import { type Counts, nothing, type WriteOptions, writeBatch } from './write.ts'

/** How far an import came, as it is stored with the rows of every batch. */
export interface Progress extends Counts {
  /** The last row of the file that was dealt with. */
  row: number
  report_bytes: number
}

const beginning: Progress = { ...nothing, row: 0, report_bytes: 0 }

const addCounts = (before: Counts, more: Counts): Counts => {
  const sum = { ...nothing }
  for (const name of Object.keys(nothing) as (keyof Counts)[]) sum[name] = before[name] + more[name]
  return sum
}

export interface OpenImport {
  id: string
  progress: Progress
}

/** The unfinished import of the same file, which begins anew when its report is gone, or a new one. */
export async function openImport(
  { db, newId, now }: AnyContext,
  fingerprint: string,
  report: Report,
): Promise<OpenImport> {
  const opened = { id: newId(), fingerprint, progress: beginning, at: now() }
  const { id, progress } = (await queries.openImport(db, opened)) as OpenImport
  const isReported = progress.report_bytes > 0
  if (isReported && (await report.hasAtLeast(progress.report_bytes))) return { id, progress }
  await report.clear()
  return { id, progress: isReported ? beginning : progress }
}

/** Writes a batch and notes that it is written, in one transaction. */
export function commitBatch(
  ctx: AnyContext,
  batch: Batch,
  { id, progress: before }: OpenImport,
  options: WriteOptions & { report: Report },
): Promise<Progress> {
  return transaction(ctx, async (tx) => {
    const { optedOut, ...counts } = await writeBatch(tx, batch, options)
    const refused = optedOut.map((row) => ({ row, reason: 'asked to be removed' }))
    const rejections = [...batch.rejections, ...refused]
    const rejected = batch.rejections.length
    const after = {
      ...addCounts(before, { ...counts, opted_out: optedOut.length, rejected }),
      row: Math.max(batch.lastRow, before.row),
      report_bytes: await options.report.add(rejections, before.report_bytes),
    }
    await queries.saveProgress(tx.db, id, after, ctx.now())
    return after
  })
}
