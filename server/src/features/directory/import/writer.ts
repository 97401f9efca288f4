import type { Context } from '../../../kernel/context.ts'
import type { Session } from '../../../kernel/db/session.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import type { Batch } from './batch.ts'
import { advance, type OpenImport, type Progress, saveProgress } from './progress.ts'
import * as queries from './queries.ts'
import type { Report } from './report.ts'
import type { SeenKeys } from './seen-keys.ts'
import { type Written, writeBatch } from './write-batch.ts'

export interface WriterOptions {
  isCareful: boolean
  /** Where the keys of the batches are noted, when the directory is without its index of keys. */
  seen: SeenKeys | undefined
  isSample: boolean
}

/** Writes one batch after the other, while the next one is read. */
export class Writer {
  readonly #ctx: Context
  readonly #session: Session
  readonly #report: Report
  readonly #id: string
  #progress: Progress
  #isCareful: boolean
  /** As long as the directory is without its index of keys. */
  #seen: SeenKeys | undefined
  readonly #isSample: boolean
  #writing: Promise<void> = Promise.resolve()

  constructor(
    ctx: Context,
    session: Session,
    report: Report,
    { id, progress }: OpenImport,
    { isCareful, seen, isSample }: WriterOptions,
  ) {
    this.#ctx = ctx
    this.#session = session
    this.#report = report
    this.#id = id
    this.#progress = progress
    this.#isCareful = isCareful
    this.#seen = seen
    this.#isSample = isSample
  }

  /**
   * Resolves when the batch before it is written.
   *
   * @param isLast with it all of them are on disk
   */
  async write(batch: Batch, isLast = false): Promise<void> {
    await this.#writing
    this.#writing = this.#write(batch, isLast)
    // Whoever waits for it next gets the error.
    this.#writing.catch(() => undefined)
  }

  async end(): Promise<Progress> {
    await this.#writing
    return this.#progress
  }

  async #write(batch: Batch, isLast: boolean) {
    if (this.#seen?.isFull) this.#seen = undefined
    if (this.#seen && batch.hasOthers) this.#beCareful()
    const written = await this.#attempt(batch, isLast).catch((error) => {
      if (this.#isCareful || error.code !== uniqueViolation) throw error
      this.#beCareful()
      return this.#attempt(batch, isLast)
    })
    for (const [place, company] of batch.companies.entries()) {
      company.stored = written.stored[place]
    }
  }

  /** Some of those who come are there already. */
  #beCareful() {
    this.#isCareful = true
    this.#seen = undefined
  }

  #attempt(batch: Batch, isLast: boolean): Promise<Written> {
    return transaction(this.#ctx, async (tx) => {
      // What a crash of the database could take away goes together with the note that it is there.
      if (!isLast) await queries.commitWithoutWaiting(tx.db)
      const written = await writeBatch(tx, this.#session.copyFrom, batch, {
        isCareful: this.#isCareful,
        isUnindexed: this.#seen !== undefined,
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
