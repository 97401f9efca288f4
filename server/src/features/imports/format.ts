import { columnsMax, delimiters, readCsv } from '../../kernel/csv/read-csv.ts'
import { BrokenFile, markedEncoding, recode } from '../../kernel/csv/recode.ts'
import { withoutGuard } from '../../kernel/csv/write-csv.ts'
import { parseEmail } from '../../kernel/email.ts'
import { AppError, invalidField } from '../../kernel/errors.ts'
import { storable } from '../../kernel/text.ts'
import { addressIn } from './address.ts'
import { fieldOf, unnamed } from './mapping.ts'
import type { Import } from './schema.ts'

/** How a file is to be read. */
export interface Format {
  encoding: string
  delimiter: string
  /** Counted from 1; people stand below it. 0: the file begins with them. */
  heading_row: number
}

export interface ReadFormat {
  format: Format
  preview: NonNullable<Import['preview']>
}

const sampleBytes = 1 << 18
const headingRowMax = 20
const previewRows = 10
const shownMax = 200
/** Templates of mail programs write headings as `{{email}}` and `[Email]`. */
const jsonBegin = /^\s*(?:\[\s*)*(?:\{\s*["}]|\[\s*["\]])/

/**
 * Finds out how a file is written, by how it begins.
 *
 * @param encoding where somebody knows better
 * @throws AppError with what to do when it is no text with columns
 */
export async function readFormat(first: Buffer, encoding?: string): Promise<ReadFormat> {
  refuseOtherFiles(first)
  const found = encoding ? checkEncoding(encoding) : (markedEncoding(first) ?? guess(first))
  const sample = first.subarray(0, sampleBytes)
  const text = new TextDecoder(found).decode(sample)
  if (jsonBegin.test(text)) {
    throw refused('This is JSON. Send it by the API, POST /api/v2/lead/add, or save it as CSV.')
  }
  const separator = /^"?sep=(.)"?(?:[\r\n]|$)/i.exec(text)?.[1]
  const tried = separator === undefined ? delimiters : [separator]
  const { delimiter, rows, widest, fault } = await readBest(sample, found, tried)
  const announced = separator === undefined ? 0 : 1
  const heading_row = findHeadings(rows.slice(announced)) + announced
  const isNamed = heading_row > announced
  const named = isNamed ? (rows[heading_row - 1] ?? []) : []
  const width = Math.max(0, ...rows.slice(heading_row, heading_row + previewRows).map(filled))
  // To the right of the headings stands what somebody wrote into columns without one.
  const count = isNamed ? Math.max(filled(named), Math.min(named.length, widest), 1) : width
  if (count > columnsMax)
    throw refused('The file has more than 1,000 columns. Save it with those that you need.')
  const headings = Array.from({ length: count }, (_, at) => {
    const heading = shownText(named[at])
    return heading === '' ? unnamed(at) : heading
  })
  const shown = rows
    .slice(heading_row)
    .filter((row) => filled(row) > 0)
    .slice(0, previewRows)
    .map((row) => headings.map((_, at) => shownText(row[at])))
  if (shown.length === 0) throw refused(fault ?? 'The file has no rows below its headings.')
  return { format: { encoding: found, delimiter, heading_row }, preview: { headings, rows: shown } }
}

/** Zeros are those of an encoding that was taken for another: they are seen. */
const shownText = (field = '') => storable(field.trim().replaceAll('\0', '\ufffd'), shownMax)

const refused = (message: string) => new AppError('malformed_request', message)

const beginnings: [begin: string, message: string][] = [
  [
    '504b0304',
    'This is an Excel workbook. In Excel choose “Save as” and “CSV UTF-8”, and import that.',
  ],
  [
    'd0cf11e0',
    'This is an old Excel workbook. In Excel choose “Save as” and “CSV UTF-8”, and import that.',
  ],
  ['1f8b', 'The file is compressed. Unpack it, and import what is in it.'],
  ['25504446', 'This is a PDF. Export the list as CSV where it comes from.'],
]

function refuseOtherFiles(first: Buffer) {
  const begin = first.toString('hex', 0, 4)
  const [, message] = beginnings.find(([each]) => begin.startsWith(each)) ?? []
  if (message) throw refused(message)
}

function checkEncoding(label: string): string {
  try {
    return new TextDecoder(label).encoding
  } catch {
    throw invalidField('/encoding', 'encoding must be one such as utf-8, utf-16le or windows-1252')
  }
}

/** Without a mark: by its zeros, by whether it can be UTF-8, and else what Excel writes. */
function guess(first: Buffer): string {
  const sample = first.subarray(0, sampleBytes)
  const zeros = [0, 0]
  let controls = 0
  for (const [at, byte] of sample.entries()) {
    if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
    else if (byte < 9 || (byte > 13 && byte < 32 && byte !== 27)) controls++
  }
  const [even = 0, odd = 0] = zeros
  const half = sample.length / 2
  if (odd > half * 0.3 && even < half * 0.05) return 'utf-16le'
  if (even > half * 0.3 && odd < half * 0.05) return 'utf-16be'
  if (even + odd > 0 || controls > sample.length * 0.01) {
    throw refused('This is no text file. Export the leads as CSV, and import that.')
  }
  try {
    // What is cut at the end may be half a character.
    new TextDecoder('utf-8', { fatal: true }).decode(sample, { stream: true })
    return 'utf-8'
  } catch {
    return 'windows-1252'
  }
}

/**
 * By what parts the columns so that one is headed as that of the addresses, of which a cell may have several,
 * then so that the most rows have an address in a cell of its own, which what stands within cells does not
 * do, then so that the most headings are known, then the most rows are as wide as each other.
 */
async function readBest(sample: Buffer, encoding: string, [first = ',', ...others]: string[]) {
  let best = await readSome(sample, encoding, first)
  for (const delimiter of others) {
    const read = await readSome(sample, encoding, delimiter)
    if (isBetter(pointsOf(read.rows), pointsOf(best.rows))) best = read
  }
  return best
}

function pointsOf(rows: string[][]): number[] {
  const widths = new Map<number, number>()
  for (const { length } of rows) if (length > 1) widths.set(length, (widths.get(length) ?? 0) + 1)
  const first = rows.slice(0, headingRowMax)
  return [
    Number(first.some((row) => row.some(isEmail) && !row.some((each) => each.includes('@')))),
    rows.filter(hasAddress).length,
    Math.max(0, ...first.map(countHeadings)),
    Math.max(0, ...widths.values()),
  ]
}

function isBetter(points: number[], others: number[]): boolean {
  const at = points.findIndex((each, at) => each !== others[at])
  return at >= 0 && (points[at] ?? 0) > (others[at] ?? 0)
}

/** As far as the sample goes, whose last row may be half a row, or as there is no fault in it. */
async function readSome(sample: Buffer, encoding: string, delimiter: string) {
  const rows: string[][] = []
  let widest = 0
  async function* pieces() {
    yield sample
  }
  try {
    for await (const read of readCsv(recode(pieces(), encoding), delimiter)) {
      rows.push(...read.slice(0, headingRowMax + previewRows + 1 - rows.length))
      for (const row of read) widest = Math.max(widest, filled(row))
    }
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error
    return { delimiter, rows, widest, fault: error.message }
  }
  return { delimiter, rows, widest }
}

const filled = (row: string[]) => row.findLastIndex((field) => field.trim() !== '') + 1
const fieldIn = (text: string) => fieldOf(text.replaceAll('"', ''))
const isEmail = (text: string) => fieldIn(text) === 'email'
const countHeadings = (row: string[]) => row.filter(fieldIn).length

/** Whether a field is an address, also behind the guard of our exports, which keeps a spreadsheet from running it. */
const isAddress = (field: string) =>
  field.length < 1000 &&
  field.includes('@') &&
  parseEmail(addressIn(withoutGuard(field))) !== undefined

const hasAddress = (row: string[]) => row.some(isAddress)

/**
 * Exports may begin with lines of notes; a list of nothing but addresses has no headings at all. From the
 * first address on rows are people, one of whom may come from a “Website”, unless it is in a note: then
 * a row below it names the column of the addresses that follow. The first such row is the headings: below
 * it stand people, also where the headings of another file that was joined to it name more.
 */
function findHeadings(rows: string[][]): number {
  const begun = rows.findIndex(hasAddress)
  const first = rows.slice(0, headingRowMax)
  // Each cell is looked at once: a file may be a thousand columns of addresses.
  const lastAt = new Map<number, number>()
  for (const [at, row] of rows.entries())
    for (const [column, field] of row.entries()) if (isAddress(field)) lastAt.set(column, at)
  const likely = first.findIndex(
    (row, at) =>
      row.some((each, column) => (lastAt.get(column) ?? 0) > at && isEmail(each)) &&
      !hasAddress(row),
  )
  if (likely >= 0) return likely + 1
  const above = (begun < 0 ? first : first.slice(0, begun)).map(countHeadings)
  const most = Math.max(0, ...above)
  if (most > 0) return above.indexOf(most) + 1
  const begin = rows.findIndex((row) => filled(row) > 0)
  return begin === begun ? 0 : begin + 1
}
