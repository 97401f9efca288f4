import { parse } from 'csv-parse'
import { HeldBytes } from './held-bytes.ts'
import { inTurns } from './in-turns.ts'
import { BrokenFile } from './recode.ts'

/**
 * Reads rows of RFC 4180 text, UTF-8, whose line ends may be mixed. A blank line is a row of one
 * empty field. A row with more than `columnsMax` fields has one more than that, the first one after
 * them that says something.
 *
 * @throws BrokenFile when a quote is not closed, after the rows before it
 */
export async function* readCsv(
  pieces: AsyncIterable<Buffer>,
  delimiter: string,
): AsyncGenerator<string[][]> {
  let rows: string[][] = []
  let count = 0
  const held = new HeldBytes()
  let readBytes = 0
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_quotes: true,
    relax_column_count: true,
    max_record_size: rowCharactersMax,
    on_record: (fields: string[], { bytes }: { bytes: number }) => {
      const raw = () => held.slice(readBytes, bytes)
      if (hasLineEndsUnquoted(fields, raw)) throw notClosed()
      readBytes = bytes
      rows.push(bounded(fields))
      // The parser need not keep it.
      return null
    },
  })
  // The error is told to whoever wrote the piece.
  parser.on('error', () => undefined)
  const write = (piece: Buffer | undefined) =>
    new Promise<Error | null | undefined>((resolve) => {
      if (piece) parser.write(piece, resolve)
      else parser.end(resolve)
    })
  for await (const piece of withEnd(inTurns(pieces))) {
    if (piece) held.add(piece)
    const error = await write(piece)
    const read = rows
    rows = []
    count += read.length
    held.dropBefore(readBytes)
    yield read
    if (error) throw new BrokenFile(reasonOf(error as NodeJS.ErrnoException, count + 1))
  }
}

/**
 * A quote that is not closed takes the rows below it into its field, up to the next quote that opens:
 * the parser gives such a field with its quotes. One that only reads so stands in the row as it is quoted.
 */
function hasLineEndsUnquoted(fields: string[], raw: () => Buffer): boolean {
  const suspects: string[] = []
  // A row may have a million fields: a function called for each takes several times as long.
  for (const field of fields) {
    if (field.charCodeAt(0) === quoteCode && /[\r\n]/.test(field)) suspects.push(field)
  }
  if (suspects.length === 0) return false
  const row = raw().toString()
  let at = 0
  return suspects.some((field) => {
    const quoted = `"${field.replaceAll('"', '""')}"`
    // In their order, so that a row of many is not searched from its beginning for each.
    const found = row.indexOf(quoted, at)
    at = found + quoted.length
    return found < 0
  })
}

const quoteCode = 0x22

const notClosed = () => Object.assign(new Error(), { code: 'CSV_QUOTE_NOT_CLOSED' })

/** More is no list of people. */
export const columnsMax = 1000
/** More is not a row but a quote that was not closed, or takes others' time as one of a million fields. */
const rowCharactersMax = 1_100_000

function bounded(fields: string[]): string[] {
  if (fields.length <= columnsMax) return fields
  let at = columnsMax
  // Without a function for each, as above.
  while (at < fields.length && isBlank(fields[at])) at++
  return [...fields.slice(0, columnsMax), fields[at] ?? '']
}

const isBlank = (field = '') => field === '' || field.trim() === ''

async function* withEnd(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer | undefined> {
  yield* pieces
  yield undefined
}

function reasonOf({ code, message }: NodeJS.ErrnoException, row: number): string {
  if (code === 'CSV_QUOTE_NOT_CLOSED')
    return `The file has a quote in row ${row} that is not closed.`
  if (code !== 'CSV_MAX_RECORD_SIZE') return message
  return `Row ${row} of the file is longer than 1.1 MB: a quote in it may not be closed.`
}

export const delimiters = [',', ';', '\t', '|']
