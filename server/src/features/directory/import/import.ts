import type { ProcessContext } from '../../../kernel/context.ts'
import { BrokenFile } from '../../../kernel/csv/recode.ts'
import { type Session, withSession } from '../../../kernel/db/session.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { Batch } from './batch.ts'
import type { ColumnMap, Columns } from './columns.ts'
import * as queries from './queries.ts'
import { Report } from './report.ts'
import { openSource, type Source } from './source.ts'
import { openTable, type Table } from './table.ts'
import { type Counts, nothing, writeBatch } from './write.ts'

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
  /** Rows of a transaction. */
  batchRows?: number
  onProgress?: (progress: ImportProgress) => void
}

export interface ImportProgress {
  /** Read in this run, of the file's rows. */
  rows: number
  bytesRead: number
  bytes: number
}

/** How far an import came, as it is stored with the rows of every batch. */
interface Progress extends Counts {
  /** The last row of the file that was dealt with. */
  row: number
  report_bytes: number
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
  ctx: ProcessContext,
  path: string,
  options: ImportOptions,
): Promise<ImportResult> {
  const { encoding, map, kind } = options
  await using source = await openSource(path, encoding)
  const table = await openTable(source, { map, kind })
  const fingerprint = [source.fingerprint, kind ?? '', ...[...map].flat()].join(' ')
  return await withSession(ctx.db, async (session) => {
    const own = { ...ctx, db: session.db }
    await waitForImportLock(own, fingerprint)
    const result = await run(own, session, { table, source, fingerprint }, options)
    // After a failure the lock goes with the connection.
    await queries.unlockImport(session.db, fingerprint)
    return result
  })
}

/** One that was killed a moment ago may still be ending. */
async function waitForImportLock(ctx: ProcessContext, fingerprint: string) {
  for (let tries = 0; tries < lockTriesMax; tries++) {
    if (await queries.lockImport(ctx.db, fingerprint)) return
    await ctx.sleep(lockEveryMs)
  }
  throw new Error(
    'This file is being imported already: wait until that import has ended, or stop it.',
  )
}

const lockTriesMax = 25
const lockEveryMs = 200

interface Run {
  table: Table
  source: Source
  fingerprint: string
}

async function run(
  ctx: ProcessContext,
  { copyFrom }: Session,
  { table, source, fingerprint }: Run,
  options: ImportOptions,
): Promise<ImportResult> {
  const { onProgress = () => undefined, isSample = false, batchRows = batchRowsUsual } = options
  await queries.createStagingTables(ctx.db)
  const report = new Report(options.report)
  const { id, progress } = await takeUp(ctx, fingerprint, report)
  let written = Promise.resolve(progress)
  const { rows, broken } = await readAll().catch(async (error) => {
    await written.catch(() => undefined)
    throw error
  })
  const { row, report_bytes, ...counts } = await written
  await queries.analyzeDirectory(ctx.db)
  if (broken) throw new Error(`${broken} ${whatIsImported(rows)}`)
  await queries.finishImport(ctx.db, id, ctx.now())
  return {
    kind: table.columns.kind,
    rows,
    ...counts,
    resumed_after: progress.row,
    report: report_bytes > 0 ? report.path : null,
    ignored_columns: table.columns.ignored,
  }

  /** Waits for the batch before it; this one is written while the next is read. */
  async function write(batch: Batch) {
    const before = await written
    written = commit(batch, before)
    // Whoever waits for it next gets the error.
    written.catch(() => undefined)
  }

  /** Writes a batch and notes that it is written, in one transaction. */
  function commit(batch: Batch, before: Progress): Promise<Progress> {
    return transaction(ctx, async (tx) => {
      const written = await writeBatch(tx, batch, { copyFrom, isSample })
      const { optedOut, ofNobody, ...counts } = written
      const refused = optedOut.map((row) => ({ row, reason: 'asked to be removed' }))
      const unknown = ofNobody.map((row) => ({ row, reason: wrongAndNobodys }))
      const rejections = [...batch.rejections, ...unknown, ...refused]
      const rejected = batch.rejections.length + unknown.length
      const after = {
        ...addCounts(before, { ...counts, opted_out: optedOut.length, rejected }),
        row: Math.max(batch.lastRow, before.row),
        report_bytes: await report.add(rejections, before.report_bytes),
      }
      await queries.saveProgress(tx.db, id, after, ctx.now())
      return after
    })
  }

  async function readAll() {
    let batch = new Batch(table.columns, batchRows)
    let rows = 0
    let broken: string | undefined
    const show = () => onProgress({ rows, bytesRead: source.bytesRead(), bytes: source.bytes })
    try {
      for await (const read of table.rows) {
        for (const row of read) {
          rows++
          if (row.number <= progress.row) continue
          batch.add(row)
          if (!batch.isFull) continue
          await write(batch)
          batch = new Batch(table.columns, batchRows)
        }
        show()
      }
    } catch (error) {
      if (!(error instanceof BrokenFile)) throw error
      broken = error.message
    }
    await write(batch)
    show()
    return { rows, broken }
  }
}

const wrongAndNobodys =
  'nobody has its invalid address, and it has neither a LinkedIn profile nor a name with a company'

/** The unfinished import of the same file, which begins anew when its report is gone, or a new one. */
async function takeUp({ db, newId, now }: ProcessContext, fingerprint: string, report: Report) {
  const { id, progress } = await queries.openImport(db, newId(), fingerprint, beginning, now())
  const goesOn = await report.takeUp(progress.report_bytes)
  return { id, progress: goesOn || progress.report_bytes === 0 ? progress : beginning }
}

const beginning: Progress = { ...nothing, row: 0, report_bytes: 0 }

const addCounts = (before: Counts, more: Counts): Counts => {
  const sum = { ...nothing }
  for (const name of Object.keys(nothing) as (keyof Counts)[]) sum[name] = before[name] + more[name]
  return sum
}

/** In a sentence for a person. */
function whatIsImported(rows: number): string {
  if (rows === 0) return 'Nothing of it is imported.'
  return rows === 1 ? 'Its first row is imported.' : `Its first ${rows} rows are imported.`
}

/** Of a transaction. */
const batchRowsUsual = 20_000
