import type { Context } from '../../../kernel/context.ts'
import { type Session, withSession } from '../../../kernel/db/session.ts'
import { rebuildStaleBlocks } from '../term-index/index.ts'
import { blockSize } from '../terms/index.ts'
import type { ColumnMap, Columns } from './columns.ts'
import { doWithoutKeyIndex, haveKeyIndex } from './key-index.ts'
import { finishImport, openImport, type Progress } from './progress.ts'
import * as queries from './queries.ts'
import { FileReading, type OpenedFile } from './reading.ts'
import { Report } from './report.ts'
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
  /** So many contacts are told apart without the index of keys, at 4 bytes each and more. */
  keysMax?: number
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
  const { encoding, map, kind } = options
  await using reading = new FileReading({ path, encoding, map, kind })
  const file = await reading.opened()
  const fingerprint = [file.fingerprint, kind ?? '', ...[...map].flat()].join(' ')
  return await withSession(ctx.db, async (session) => {
    const own = { ...ctx, db: session.db }
    await holdImport(own, fingerprint)
    const result = await run(own, session, { reading, file, fingerprint }, options)
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

interface Run {
  reading: FileReading
  file: OpenedFile
  fingerprint: string
}

async function run(
  ctx: Context,
  session: Session,
  { reading, file, fingerprint }: Run,
  options: ImportOptions,
): Promise<ImportResult> {
  const { onProgress, isSample = false } = options
  await queries.createChangeTables(ctx.db)
  await using report = new Report(options.report)
  const opened = await openImport(ctx, fingerprint, report)
  const newest = await queries.findNewest(ctx.db)
  const keys = file.kind === 'contacts' ? await doWithoutKeyIndex(ctx) : undefined
  const writer = new Writer(ctx, session, report, opened, {
    isCareful: !keys && newest !== undefined,
    isUnindexed: keys !== undefined,
    isSample,
  })
  const { row: resumedAfter } = opened.progress
  reading.begin({
    resumedAfter,
    // The first batch fills up the last block: the next ones are whole blocks.
    capacity: blockSize - (newest ? (newest.number + 1) % blockSize : 0),
    isSample,
    keys: keys && { ...keys, keysMax: options.keysMax ?? keysMax },
  })
  const read = await writeAll(ctx, reading, writer, (progress) =>
    onProgress({ ...progress, bytes: file.bytes }),
  ).catch(async (error) => {
    await writer.end().catch(() => undefined)
    // Whoever comes next need not do without it; where the connection broke they have to make it.
    if (keys) await haveKeyIndex(ctx).catch(() => undefined)
    throw error
  })
  if (keys) await haveKeyIndex(ctx)
  const { rows, broken, progress } = read
  const done = { rows, bytesRead: file.bytes, bytes: file.bytes }
  await rebuildStaleBlocks(ctx, (indexed, all) => onProgress({ ...done, blocks: { indexed, all } }))
  if (broken) throw new Error(`${broken} Its first ${rows} rows are imported.`)
  await finishImport(ctx.db, opened.id, ctx.now())
  const { row, report_bytes, ...counts } = progress
  return {
    kind: file.kind,
    rows,
    ...counts,
    resumed_after: resumedAfter,
    report: report_bytes > 0 ? report.path : null,
    ignored_columns: file.ignored,
  }
}

/** Writes one batch while the next one is read. */
async function writeAll(
  ctx: Context,
  reading: FileReading,
  writer: Writer,
  onProgress: (progress: Pick<ImportProgress, 'rows' | 'bytesRead'>) => void,
) {
  for (const _batch of ['one', 'other']) reading.giveTurn({ at: ctx.now() })
  for (let isFirst = true; ; ) {
    const message = await reading.next()
    if (message.type === 'progress') onProgress(message)
    if (message.type === 'end') return { ...message, progress: await writer.end() }
    if (message.type !== 'batch') continue
    await writer.write(message.batch)
    // Now the one before it is written, and may be filled again.
    if (!isFirst) reading.giveTurn({ at: ctx.now() })
    isFirst = false
  }
}

const keysMax = 3_000_000
