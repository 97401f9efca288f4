import type { Context } from '../../../kernel/context.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import type { Batch } from './batch.ts'
import { addCounts, type OpenImport, type Progress, saveProgress } from './progress.ts'
import * as queries from './queries.ts'
import type { Report } from './report.ts'
import { type WriteOptions, writeBatch } from './write.ts'

/** Writes one batch after the other, while the next one is read. */
export class Writer {
  readonly #writeOne: (batch: Batch, isLast: boolean, before: Progress) => Promise<Progress>
  #written: Promise<Progress>

  constructor(ctx: Context, report: Report, { id, progress }: OpenImport, options: WriteOptions) {
    this.#written = Promise.resolve(progress)
    this.#writeOne = (batch, isLast, before) =>
      transaction(ctx, async (tx) => {
        // What a crash of the database could take away goes together with the note that it is there,
        // and with the last one all are on disk.
        if (!isLast) await queries.commitWithoutWaiting(tx.db)
        const { optedOut, ...counts } = await writeBatch(tx, batch, options)
        const refused = optedOut.map((row) => ({ row, reason: 'asked to be removed' }))
        const rejections = [...batch.rejections, ...refused]
        const rejected = batch.rejections.length
        const after = {
          ...addCounts(before, { ...counts, opted_out: optedOut.length, rejected }),
          row: Math.max(batch.lastRow, before.row),
          report_bytes: await report.add(rejections, before.report_bytes),
        }
        await saveProgress(tx, { id, progress: after })
        return after
      })
  }

  /** Resolves when the batch before it is written. */
  async write(batch: Batch, { isLast }: { isLast: boolean }): Promise<void> {
    const before = await this.#written
    this.#written = this.#writeOne(batch, isLast, before)
    // Whoever waits for it next gets the error.
    this.#written.catch(() => undefined)
  }

  /** Resolves when all batches are written. */
  end = (): Promise<Progress> => this.#written
}
