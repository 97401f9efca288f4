import {
  type ColumnMap,
  type Columns,
  chooseColumns,
  countKnown,
  requireMapped,
} from './columns.ts'
import { CsvScanner, findDelimiter } from './csv.ts'
import { RowView } from './row-view.ts'
import {
  feeding,
  headerRowMax,
  noColumns,
  sampleBytes,
  type Table,
  type TableOptions,
} from './table.ts'

/** @throws when no line of headers is found */
export async function openCsv(
  first: Buffer,
  pieces: AsyncGenerator<Buffer>,
  { map, kind }: TableOptions,
): Promise<Table> {
  const lines = first.toString('utf8', 0, sampleBytes).split(/[\r\n]+/)
  const { line, isHeader } = findHeader(lines.slice(0, headerRowMax), map)
  const row = new RowView()
  const scanner = new CsvScanner(row, findDelimiter(line))
  scanner.feed(first)
  const more = feeding(pieces, scanner)
  for (let number = 1; number <= headerRowMax; number++) {
    while (!scanner.next()) if (!(await more())) throw new Error(noColumns)
    const headers = row.texts().map(tidy)
    if (!isHeader(headers)) continue
    requireMapped(headers, map)
    const columns = chooseColumns(headers, map, kind)
    return new CsvTable(scanner, more, { columns, row, number, width: headers.length })
  }
  throw new Error(noColumns)
}

const tidy = (header: string) => header.replaceAll('"', '').trim()

/** Notes may have a word that is a header elsewhere: a line of several goes before one with that. */
function findHeader(lines: string[], map: ColumnMap) {
  const hasKnown = (count: number) => (headers: string[]) => countKnown(headers, map) >= count
  const likely = [hasKnown(2), hasKnown(1)].map((isHeader) => ({
    line: lines.find((line) => isHeader(line.split(findDelimiter(line)).map(tidy))),
    isHeader,
  }))
  const { line = '', isHeader = hasKnown(1) } = likely.find(({ line }) => line !== undefined) ?? {}
  return { line, isHeader }
}

class CsvTable implements Table {
  readonly columns: Columns
  readonly row: RowView
  readonly more: Table['more']
  number: number
  readonly #scanner: CsvScanner
  readonly #width: number

  /** @param header where the scanner is: at the row of headers */
  constructor(
    scanner: CsvScanner,
    more: Table['more'],
    header: { columns: Columns; row: RowView; number: number; width: number },
  ) {
    this.columns = header.columns
    this.row = header.row
    this.number = header.number
    this.more = more
    this.#scanner = scanner
    this.#width = header.width
  }

  next(): boolean {
    if (!this.#scanner.next()) return false
    this.number++
    const { row } = this
    while (row.length > this.#width && row.isEmpty(row.length - 1)) row.length--
    if (row.length > this.#width) row.fault ??= 'it has more fields than the first line names'
    return true
  }
}
