import type { Context } from '../../../kernel/context.ts'
import { type Session, withSession } from '../../../kernel/db/session.ts'
import { BlockBuilder, blockSize, rebuildStaleBlocks } from '../term-index/index.ts'
import { Batch } from './batch.ts'
import type { ColumnMap, Columns } from './columns.ts'
import { doWithoutKeyIndex, haveKeyIndex } from './key-index.ts'
import { openTable } from './open-table.ts'
import { finishImport, openImport, type Progress } from './progress.ts'
import * as queries from './queries.ts'
import { Report } from './report.ts'
import { RowReader } from './row-reader.ts'
import { BrokenFile, openSource, type Source } from './source.ts'
import { Writer } from './writer.ts'

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
  const seen = table.columns.kind === 'contacts' ? await doWithoutKeyIndex(ctx) : undefined
  const isSample = options.isSample ?? false
  const writer = new Writer(ctx, session, report, opened, {
    isCareful: !seen && newest !== undefined,
    seen,
    isSample,
  })
  const reader = new RowReader(table, seen)
  // The first batch fills up the last block: the next ones are whole blocks.
  const untilBlock = blockSize - (newest ? (newest.number + 1) % blockSize : 0)
  // One is filled while the other is written.
  let [batch, other] = [new Batch(ctx, isSample), new Batch(ctx, isSample)]
  batch.begin(0, untilBlock, new BlockBuilder())
  const { row: resumedAfter } = opened.progress
  let rows = 0
  let broken: BrokenFile | undefined
  const writeAll = async () => {
    try {
      do {
        for (; table.next(); rows++) {
          if (table.number <= resumedAfter) continue
          reader.read(batch)
          if (!batch.isFull) continue
          reader.close(batch)
          await writer.write(batch)
          const builder = batch.builder.isLarge ? new BlockBuilder() : batch.builder
          ;[batch, other] = [other.begin(batch.number + 1, blockSize, builder), batch]
        }
        options.onProgress({ rows, bytesRead: source.bytesRead(), bytes: source.bytes })
      } while (await table.more())
    } catch (error) {
      if (!(error instanceof BrokenFile)) throw error
      broken = error
    }
    reader.close(batch)
    await writer.write(batch, true)
    return await writer.end()
  }
  const progress = await writeAll().catch(async (error) => {
    await writer.end().catch(() => undefined)
    // Whoever comes next need not do without it; where the connection broke they have to make it.
    if (seen) await haveKeyIndex(ctx).catch(() => undefined)
    throw error
  })
  if (seen) await haveKeyIndex(ctx)
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
