import { delimiters, readCsv } from '../../../kernel/csv/read-csv.ts'
import { BrokenFile } from '../../../kernel/csv/recode.ts'
import {
  type ColumnMap,
  type Columns,
  chooseColumns,
  countKnown,
  fieldNames,
  findField,
  requireMapped,
} from './columns.ts'
import { type Line, lineBytesMax, readLine, readNdjson } from './ndjson.ts'
import type { Source } from './source.ts'

/** A row of a file. */
export interface Row {
  /** The header of a CSV is row 1, as a spreadsheet counts. */
  number: number
  /** By the places of `Columns.at`. */
  fields: readonly (string | undefined)[]
  /** Why it cannot be taken. */
  fault: string | undefined
}

export interface Table {
  columns: Columns
  /** As many at a time as are read at once. */
  rows: AsyncIterable<Row[]>
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
  const { first, pieces, fault } = await readFirst(source.pieces())
  if (first.length === 0) throw fault ?? new Error('The file is empty.')
  const begin = beginOf(first)
  if (begin === '[') throw new Error(notLines)
  return begin === '{' ? openNdjson(first, pieces, options) : openCsv(first, pieces, options)
}

const beginOf = (first: Buffer) => first.subarray(0, 100).toString().trimStart().charAt(0)

const notLines =
  'This is a JSON array: NDJSON has one object on each line (jq -c ".[]" makes it of an array).'

/** Enough to tell what it is, of NDJSON a whole line; and all pieces, these among them. */
async function readFirst(source: AsyncGenerator<Buffer>) {
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
      const { value, done } = await source.next()
      if (done) break
      read.push(value)
      length += value.length
    }
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error
    fault = error
  }
  async function* pieces() {
    yield* read
    if (fault) throw fault
    yield* source
  }
  return { first: Buffer.concat(read), pieces: pieces(), fault }
}

/** Enough to find the columns in. */
const sampleBytes = 1 << 16

/** Exports may begin with a few lines of notes. */
const headerRowMax = 20

const noColumns =
  'No line of headers was found: the first line has to name the columns, as first_name, last_name, title, company, domain, email; name others with --map HEADER=FIELD, and say with --encoding if it is not in UTF-8.'

/** @throws when no line of headers is found */
async function openCsv(
  first: Buffer,
  pieces: AsyncGenerator<Buffer>,
  { map, kind }: TableOptions,
): Promise<Table> {
  const lines = first.toString('utf8', 0, sampleBytes).split(/[\r\n]+/)
  const { delimiter, isHeader } = findHeader(lines.slice(0, headerRowMax), map)
  const read = readCsv(pieces, delimiter)
  for (let number = 0; number < headerRowMax; ) {
    const { value: rows, done } = await read.next()
    if (done) break
    for (const [at, fields] of rows.entries()) {
      const headers = fields.map(tidy)
      if (++number > headerRowMax) break
      if (!isHeader(headers)) continue
      requireMapped(headers, map)
      return {
        columns: chooseColumns(headers, map, kind),
        rows: numbered(rows.slice(at + 1), read, number, headers.length),
      }
    }
  }
  throw new Error(noColumns)
}

const tidy = (header: string) => header.replaceAll('"', '').trim()

/**
 * Parted so that the most headers are known, then so that there are the most: one may have commas itself.
 * Notes may have a word that is a header elsewhere: a line of several goes before one with that.
 */
function findHeader(lines: string[], map: ColumnMap) {
  const parted = lines.flatMap((line) =>
    delimiters
      .map((delimiter) => {
        const headers = line.split(delimiter).map(tidy)
        return { delimiter, known: countKnown(headers, map), count: headers.length }
      })
      .sort((a, b) => b.known - a.known || b.count - a.count)
      .slice(0, 1),
  )
  const least = parted.some(({ known }) => known >= 2) ? 2 : 1
  const { delimiter = ',' } = parted.find(({ known }) => known >= least) ?? {}
  return { delimiter, isHeader: (headers: string[]) => countKnown(headers, map) >= least }
}

/** @param width fields that the row of headers has */
async function* numbered(
  first: string[][],
  read: AsyncGenerator<string[][]>,
  header: number,
  width: number,
): AsyncGenerator<Row[]> {
  let number = header
  const take = (fields: string[]): Row => {
    while (fields.length > width && fields.at(-1) === '') fields.pop()
    const fault = fields.length > width ? 'it has more fields than the first line names' : undefined
    return { number: ++number, fields, fault }
  }
  yield first.map(take)
  for await (const rows of read) yield rows.map(take)
}

/** @throws when no member of the first lines is known */
function openNdjson(
  first: Buffer,
  pieces: AsyncGenerator<Buffer>,
  { map, kind }: TableOptions,
): Table {
  const lines = first.toString().split('\n', headerRowMax)
  const members = lines.flatMap((line) => readLine(Buffer.from(line)).members)
  const columns = chooseColumns([...new Set(members.map(([name]) => name))], map, kind)
  if (Object.values(columns.at).every((place) => place < 0)) throw new Error(noColumns)
  const at = Object.fromEntries(fieldNames.map((name, place) => [name, place])) as Columns['at']
  return { columns: { ...columns, at }, rows: rowsOf(readNdjson(pieces), columns, map) }
}

/** Another object may have other members: each finds its field by itself. */
async function* rowsOf(
  lines: AsyncIterable<Line[]>,
  columns: Columns,
  map: ColumnMap,
): AsyncGenerator<Row[]> {
  const known = new Map<string, ReturnType<typeof findField>>()
  function read(name: string) {
    if (!known.has(name)) {
      if (known.size >= namesMax) known.clear()
      known.set(name, findField(columns, name, map))
    }
    return known.get(name)
  }
  let number = 0
  const take = ({ members, fault }: Line): Row => {
    const fields: string[] = []
    const ranks: number[] = []
    for (const [name, value] of members) {
      const found = read(name)
      if (!found) continue
      const place = fieldNames.indexOf(found.field)
      if (fields[place] && (value === '' || found.rank >= (ranks[place] ?? 0))) continue
      fields[place] = value
      ranks[place] = found.rank
    }
    const saysNothing = members.length > 0 && fields.length === 0
    const why = saysNothing ? 'none of its members is known' : fault
    return { number: ++number, fields, fault: why }
  }
  for await (const some of lines) yield some.map(take)
}

/** There are files whose objects have their ids for names. */
const namesMax = 10_000
