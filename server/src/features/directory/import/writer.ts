import type { Context } from '../../../kernel/context.ts'
import type { Session } from '../../../kernel/db/session.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import type { FullBatch } from './full-batch.ts'
import { NamedCompanies } from './named-companies.ts'
import { advance, type OpenImport, type Progress, saveProgress } from './progress.ts'
import * as queries from './queries.ts'
import { ReadBatch } from './read-batch.ts'
import type { Report } from './report.ts'
import { type Written, writeBatch } from './write-batch.ts'

export interface WriterOptions {
  isCareful: boolean
  /** The directory is without its index of keys. */
  isUnindexed: boolean
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
  #isUnindexed: boolean
  readonly #isSample: boolean
  readonly #companies = new NamedCompanies()
  #writing: Promise<void> = Promise.resolve()

  constructor(
    ctx: Context,
    session: Session,
    report: Report,
    { id, progress }: OpenImport,
    { isCareful, isUnindexed, isSample }: WriterOptions,
  ) {
    this.#ctx = ctx
    this.#session = session
    this.#report = report
    this.#id = id
    this.#progress = progress
    this.#isCareful = isCareful
    this.#isUnindexed = isUnindexed
    this.#isSample = isSample
  }

  /** Resolves when the batch before it is written. */
  async write(batch: FullBatch): Promise<void> {
    await this.#writing
    this.#writing = this.#write(batch)
    // Whoever waits for it next gets the error.
    this.#writing.catch(() => undefined)
  }

  async end(): Promise<Progress> {
    await this.#writing
    return this.#progress
  }

  async #write(full: FullBatch) {
    const batch = new ReadBatch(full, this.#companies.recall(full))
    if (!batch.isToldApart) this.#isUnindexed = false
    if (batch.hasOthers) this.#isCareful = true
    const written = await this.#attempt(batch).catch((error) => {
      if (this.#isCareful || error.code !== uniqueViolation) throw error
      // Some of those who come are there already.
      this.#isCareful = true
      this.#isUnindexed = false
      return this.#attempt(batch)
    })
    this.#companies.remember(full, written.stored)
  }

  #attempt(batch: ReadBatch): Promise<Written> {
    return transaction(this.#ctx, async (tx) => {
      // What a crash of the database could take away goes together with the note that it is there,
      // and with the last one all are on disk.
      if (!batch.isLast) await queries.commitWithoutWaiting(tx.db)
      const written = await writeBatch(tx, this.#session.copyFrom, batch, {
        isCareful: this.#isCareful,
        isUnindexed: this.#isUnindexed,
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
