import {
  type ColumnMap,
  type Columns,
  chooseColumns,
  countKnown,
  fieldIn,
  fieldNames,
  requireMapped,
} from './columns.ts'
import { CsvScanner, findDelimiter } from './csv.ts'
import { lineBytesMax, NdjsonScanner } from './ndjson.ts'
import { RowView } from './row-view.ts'
import { BrokenFile, type Source } from './source.ts'

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

/**
 * CSV, with whatever parts its columns, or NDJSON.
 *
 * @throws when no column is known, with what to do
 */
export async function openTable(source: Source, options: TableOptions): Promise<Table> {
  const { first, rest, fault } = await readFirst(source.pieces())
  if (first.length === 0) throw fault ?? new Error('The file is empty.')
  const begin = beginOf(first)
  if (begin === '[') throw new Error(notLines)
  return begin === '{' ? openNdjson(first, rest, options) : openCsv(first, rest, options)
}

const sampleBytes = 1 << 16

const beginOf = (first: Buffer) => first.subarray(0, 100).toString().trimStart().charAt(0)

const notLines =
  'This is a JSON array: NDJSON has one object on each line (jq -c ".[]" makes it of an array).'

/** Enough to tell what it is: of NDJSON a whole line. */
async function readFirst(pieces: AsyncGenerator<Buffer>) {
  const read: Buffer[] = []
  let length = 0
  let fault: BrokenFile | undefined
  const isEnough = () =>
    length >= sampleBytes &&
    (length >= lineBytesMax ||
      beginOf(read[0] as Buffer) !== '{' ||
      read.some((piece) => piece.includes('\n')))
  try {
    while (!isEnough()) {
      const { value, done } = await pieces.next()
      if (done) break
      read.push(value)
      length += value.length
    }
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error
    fault = error
  }
  async function* rest() {
    if (fault) throw fault
    yield* pieces
  }
  return { first: Buffer.concat(read), rest: rest(), fault }
}

/** Gives a scanner what follows in the file, and in the end says so. */
function feeding(pieces: AsyncGenerator<Buffer>, scanner: CsvScanner | NdjsonScanner) {
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

async function openCsv(
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

/** Exports may begin with a few lines of notes. */
const headerRowMax = 20

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

const noColumns =
  'No line of headers was found: the first line has to name the columns, as first_name, last_name, title, company, domain, email; name others with --map HEADER=FIELD.'

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

/** Another object may have other members: each finds its field by itself. */
class NdjsonTable implements Table {
  readonly columns: Columns
  readonly row = new RowView()
  readonly more: Table['more']
  number = 0
  readonly #scanner: NdjsonScanner
  readonly #options: TableOptions
  readonly #places = new Map<string, number>()

  constructor(
    scanner: NdjsonScanner,
    more: Table['more'],
    columns: Columns,
    options: TableOptions,
  ) {
    const at = fieldNames.map((name, place) => [name, place])
    this.columns = { ...columns, at: Object.fromEntries(at) }
    this.more = more
    this.#scanner = scanner
    this.#options = options
  }

  next(): boolean {
    if (!this.#scanner.next()) return false
    this.number++
    const texts: string[] = []
    for (const [name, value] of this.#scanner.members) {
      const place = this.#placeOf(name)
      if (place >= 0) texts[place] ||= value
    }
    this.row.fill(texts)
    this.row.fault = this.#scanner.fault
    return true
  }

  #placeOf(name: string): number {
    let place = this.#places.get(name)
    if (place === undefined) {
      const field = fieldIn(this.columns, name, this.#options.map)
      place = field === undefined ? -1 : fieldNames.indexOf(field)
      if (this.#places.size >= placesMax) this.#places.clear()
      this.#places.set(name, place)
    }
    return place
  }
}

/** There are files whose objects have their ids for names. */
const placesMax = 10_000

function openNdjson(
  first: Buffer,
  pieces: AsyncGenerator<Buffer>,
  options: TableOptions,
): NdjsonTable {
  const columns = chooseColumns(membersIn(first), options.map, options.kind)
  if (Object.values(columns.at).every((place) => place < 0)) throw new Error(noColumns)
  const scanner = new NdjsonScanner()
  scanner.feed(first)
  return new NdjsonTable(scanner, feeding(pieces, scanner), columns, options)
}

/** The names in the first lines. */
function membersIn(first: Buffer): string[] {
  const scanner = new NdjsonScanner()
  scanner.feed(first)
  if (!first.includes('\n')) scanner.end()
  const names = new Set<string>()
  for (let line = 0; line < headerRowMax && scanner.next(); line++) {
    for (const [name] of scanner.members) names.add(name)
  }
  return [...names]
}
