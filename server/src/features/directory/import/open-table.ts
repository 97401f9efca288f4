import { openCsv } from './csv-table.ts'
import { lineBytesMax } from './ndjson.ts'
import { openNdjson } from './ndjson-table.ts'
import { BrokenFile, type Source } from './source.ts'
import { sampleBytes, type Table, type TableOptions } from './table.ts'

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
