import type { Context } from '../../../kernel/context.ts'
import type { Session } from '../../../kernel/db/session.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import type { Batch } from './batch.ts'
import { advance, type OpenImport, type Progress, saveProgress } from './progress.ts'
import type { Report } from './report.ts'
import { type WriteOptions, type Written, writeBatch } from './write-batch.ts'

/** Writes one batch after the other, while the next one is read. */
export class Writer {
  readonly #ctx: Context
  readonly #session: Session
  readonly #report: Report
  readonly #id: string
  #progress: Progress
  #isCareful: boolean
  readonly #isSample: boolean
  #writing: Promise<void> = Promise.resolve()

  constructor(
    ctx: Context,
    session: Session,
    report: Report,
    { id, progress }: OpenImport,
    { isCareful, isSample }: WriteOptions,
  ) {
    this.#ctx = ctx
    this.#session = session
    this.#report = report
    this.#id = id
    this.#progress = progress
    this.#isCareful = isCareful
    this.#isSample = isSample
  }

  /** Resolves when the batch before it is written. */
  async write(batch: Batch): Promise<void> {
    await this.#writing
    this.#writing = this.#write(batch)
    // Whoever waits for it next gets the error.
    this.#writing.catch(() => undefined)
  }

  async end(): Promise<Progress> {
    await this.#writing
    return this.#progress
  }

  async #write(batch: Batch) {
    const written = await this.#attempt(batch).catch((error) => {
      if (this.#isCareful || error.code !== uniqueViolation) throw error
      this.#isCareful = true
      return this.#attempt(batch)
    })
    for (const [place, company] of batch.companies.entries()) {
      company.stored = written.stored[place]
    }
  }

  #attempt(batch: Batch): Promise<Written> {
    return transaction(this.#ctx, async (tx) => {
      const written = await writeBatch(tx, this.#session.copyFrom, batch, {
        isCareful: this.#isCareful,
        isSample: this.#isSample,
      })
      const optedOut = written.optedOut.map((row) => ({ row, reason: 'asked to be removed' }))
      const report_bytes = await this.#report.add(
        [...batch.rejections, ...optedOut],
        this.#progress.report_bytes,
      )
      const progress = advance(this.#progress, written, {
        row: Math.max(batch.lastRow, this.#progress.row),
        rejected: batch.rejections.length,
        report_bytes,
      })
      await saveProgress(tx, { id: this.#id, progress })
      tx.afterCommit?.(() => {
        this.#progress = progress
      })
      return written
    })
  }
}

const uniqueViolation = '23505'
