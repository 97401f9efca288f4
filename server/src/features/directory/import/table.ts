import type { ColumnMap, Columns } from './columns.ts'
import type { CsvScanner } from './csv.ts'
import type { NdjsonScanner } from './ndjson.ts'
import type { RowView } from './row-view.ts'

/** The rows of a file, one after the other in the same view. */
export interface Table {
  columns: Columns
  row: RowView
  /** Of the row in view. The header of a CSV is row 1, as a spreadsheet counts. */
  number: number
  /** @returns false when more of the file is needed first */
  next: () => boolean
  /** @returns false when there is no more */
  more: () => Promise<boolean>
}

export interface TableOptions {
  map: ColumnMap
  kind: Columns['kind'] | undefined
}

/** Gives a scanner what follows in the file, and in the end says so. */
export function feeding(pieces: AsyncGenerator<Buffer>, scanner: CsvScanner | NdjsonScanner) {
  let isOver = false
  return async () => {
    if (isOver) return false
    const { value, done } = await pieces.next()
    if (done) scanner.end()
    else scanner.feed(value)
    isOver = done === true
    return true
  }
}

/** Enough to find the columns in. */
export const sampleBytes = 1 << 16

/** Exports may begin with a few lines of notes. */
export const headerRowMax = 20

export const noColumns =
  'No line of headers was found: the first line has to name the columns, as first_name, last_name, title, company, domain, email; name others with --map HEADER=FIELD, and say with --encoding if it is not in UTF-8.'
