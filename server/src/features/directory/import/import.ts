import type { Context } from '../../../kernel/context.ts'
import { type Session, withSession } from '../../../kernel/db/session.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { blockSize, rebuildStaleBlocks } from '../term-index/index.ts'
import { Batch } from './batch.ts'
import type { ColumnMap, Columns } from './columns.ts'
import { CompanyBook } from './companies.ts'
import { ContactReader } from './contacts.ts'
import {
  advance,
  finishImport,
  type OpenImport,
  openImport,
  type Progress,
  saveProgress,
} from './progress.ts'
import * as queries from './queries.ts'
import { Report } from './report.ts'
import { BrokenFile, openSource, type Source } from './source.ts'
import { openTable, type Table } from './table.ts'
import { Unfit } from './values.ts'
import { Vocabulary } from './vocabulary.ts'
import { type WriteOptions, type Written, writeBatch } from './write-batch.ts'

export interface ImportOptions {
  map: ColumnMap
  /** Undefined: told by the columns. */
  kind: Columns['kind'] | undefined
  /** A label of the WHATWG encoding standard. */
  encoding: string
  /** Where the rejected rows are written, if there are any. */
  report: string
  /** Made-up rows, which can be taken out again. */
  isSample?: boolean
  onProgress: (progress: ImportProgress) => void
}

export interface ImportProgress {
  /** Read in this run, of the file's rows. */
  rows: number
  bytesRead: number
  bytes: number
  /** Once all is read: how much of what was changed searches find as it is now. */
  blocks?: { indexed: number; all: number }
}

export interface ImportResult extends Omit<Progress, 'row' | 'report_bytes'> {
  kind: Columns['kind']
  rows: number
  /** Rows that an interrupted import of the file had dealt with. */
  resumed_after: number
  report: string | null
  ignored_columns: string[]
}

/**
 * Imports contacts and their companies, or companies alone, from a CSV or NDJSON file, plain or
 * compressed by gzip. Every batch is a transaction that also notes how far it came: an import that
 * was interrupted goes on from there when it is started again, and begins anew when its report is
 * gone.
 *
 * @throws with what to do when the file cannot be read to its end; what came before is imported
 */
export async function importFile(
  ctx: Context,
  path: string,
  options: ImportOptions,
): Promise<ImportResult> {
  await using source = await openSource(path, options.encoding)
  const fingerprint = [source.fingerprint, options.kind ?? '', ...[...options.map].flat()].join(' ')
  return await withSession(ctx.db, async (session) => {
    const own = { ...ctx, db: session.db }
    await holdImport(own, fingerprint)
    const result = await run(own, session, source, fingerprint, options)
    // After a failure the lock goes with the connection.
    await queries.unlockImport(session.db, fingerprint)
    return result
  })
}

/** One that was killed a moment ago may still be ending. */
async function holdImport(ctx: Context, fingerprint: string) {
  for (let tries = 0; tries < holdTriesMax; tries++) {
    if (await queries.lockImport(ctx.db, fingerprint)) return
    await ctx.sleep(holdEveryMs)
  }
  throw new Error('This file is being imported already.')
}

const holdTriesMax = 25
const holdEveryMs = 200

async function run(
  ctx: Context,
  session: Session,
  source: Source,
  fingerprint: string,
  options: ImportOptions,
): Promise<ImportResult> {
  const table = await openTable(source, options).catch((error) => {
    throw error instanceof BrokenFile ? new Error(error.message) : error
  })
  await queries.createChangeTables(ctx.db)
  await using report = new Report(options.report)
  const opened = await openImport(ctx, fingerprint, report)
  const newest = await queries.findNewest(ctx.db)
  const writer = new Writer(ctx, session, report, opened, {
    isCareful: newest !== undefined,
    isSample: options.isSample ?? false,
  })
  const reader = new RowReader(table)
  // The first batch fills up the last block: the next ones are whole blocks.
  const untilBlock = blockSize - (newest ? (newest.number + 1) % blockSize : 0)
  // One is filled while the other is written.
  let [batch, other] = [new Batch().begin(0, untilBlock), new Batch()]
  const { row: resumedAfter } = opened.progress
  let rows = 0
  let broken: BrokenFile | undefined
  try {
    do {
      for (; table.next(); rows++) {
        if (table.number <= resumedAfter) continue
        reader.read(batch)
        if (!batch.isFull) continue
        reader.close(batch)
        await writer.write(batch)
        ;[batch, other] = [other.begin(batch.number + 1, blockSize), batch]
      }
      options.onProgress({ rows, bytesRead: source.bytesRead(), bytes: source.bytes })
    } while (await table.more())
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error
    broken = error
  }
  reader.close(batch)
  await writer.write(batch)
  const progress = await writer.end()
  await rebuildStaleBlocks(ctx, (indexed, all) =>
    options.onProgress({
      rows,
      bytesRead: source.bytes,
      bytes: source.bytes,
      blocks: { indexed, all },
    }),
  )
  if (broken) throw new Error(`${broken.message} Its first ${rows} rows are imported.`)
  await finishImport(ctx.db, opened.id, ctx.now())
  const { row, report_bytes, ...counts } = progress
  return {
    kind: table.columns.kind,
    rows,
    ...counts,
    resumed_after: resumedAfter,
    report: report_bytes > 0 ? report.path : null,
    ignored_columns: table.columns.ignored,
  }
}

/** Puts what the row in view says into a batch. */
class RowReader {
  readonly #table: Table
  readonly #vocabulary = new Vocabulary()
  readonly #companies: CompanyBook
  readonly #contacts: ContactReader

  constructor(table: Table) {
    this.#table = table
    this.#companies = new CompanyBook(table.columns.at, this.#vocabulary)
    this.#contacts = new ContactReader(table.columns.at, this.#vocabulary)
  }

  read(batch: Batch) {
    const { row, number } = this.#table
    batch.lastRow = number
    try {
      if (row.fault !== undefined) throw new Unfit(row.fault)
      if (row.length > 0) this.#take(batch)
    } catch (error) {
      if (!(error instanceof Unfit)) throw error
      // A spreadsheet leaves rows of nothing but separators behind.
      if (row.fault === undefined && row.isBlank()) return
      batch.rejections.push({ row: number, reason: error.message })
    }
  }

  /** Nothing more goes into the batch. */
  close(batch: Batch) {
    batch.words = this.#vocabulary.take()
    this.#companies.forgetBefore(batch.number)
  }

  #take(batch: Batch) {
    const { row, number, columns } = this.#table
    const company = this.#companies.read(row)
    if (columns.kind === 'contacts') {
      batch.add(number, this.#contacts.read(row, company), company)
    } else if (company) batch.addCompany(number, company)
    else throw new Unfit('neither a name nor a domain')
  }
}

/** Writes one batch after the other, while the next one is read. */
class Writer {
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
