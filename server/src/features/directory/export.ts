import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { ProcessContext } from '../../kernel/context.ts'
import { withSession } from '../../kernel/db/session.ts'
import { writeWholeFile } from '../../kernel/whole-file.ts'
import { copyOut, type DirectoryKind, type ExportFormat } from './export-queries.ts'

export interface ExportOptions {
  kind: DirectoryKind
  format: ExportFormat
  /** Told how many rows were written so far. */
  onProgress: (rows: number) => void
}

export interface ExportResult {
  kind: DirectoryKind
  format: ExportFormat
  rows: number
}

/**
 * Writes all contacts with their companies, or all companies, to a file that can be imported again;
 * compressed when its name ends in `.gz`. It has its name once it is whole.
 */
export async function exportFile(
  ctx: ProcessContext,
  path: string,
  { kind, format, onProgress }: ExportOptions,
): Promise<ExportResult> {
  let rows = format === 'csv' ? -1 : 0
  async function* counted(pieces: AsyncIterable<Buffer>) {
    for await (const piece of pieces) {
      rows += linesIn(piece)
      onProgress(Math.max(0, rows))
      yield piece
    }
  }
  await writeWholeFile(path, (file) =>
    withSession(ctx.db, ({ copyTo }) => {
      const sent = copyTo(copyOut(kind, format))
      return path.endsWith('.gz')
        ? pipeline(sent, counted, createGzip(), file)
        : pipeline(sent, counted, file)
    }),
  )
  return { kind, format, rows }
}

function linesIn(piece: Buffer): number {
  let lines = 0
  for (let at = piece.indexOf(lineFeed); at !== -1; at = piece.indexOf(lineFeed, at + 1)) lines++
  return lines
}

const lineFeed = 0x0a
