import { isAscii, isUtf8 } from 'node:buffer'
import type { RowView } from './row-view.ts'

/**
 * Reads rows of RFC 4180 text, UTF-8, whose line ends may be mixed. A blank line is a row without
 * fields. A quote that is never closed costs one line.
 */
export class CsvScanner {
  readonly #row: RowView
  readonly #delimiter: number
  /** Ends in a line feed beyond `#length`: the loop need not look whether it is at the end. */
  #bytes = Buffer.alloc(1 << 16, lineFeed)
  #length = 0
  #isAscii = true
  #at = 0
  #isEnd = false
  /** The rest of a line that is too long is still to come. */
  #isSkipping = false
  #isUnclosed = false
  #isDoubled = false
  /** Quoted fields of the row that are not just what is between two quotes, and where they close. */
  #irregular: { field: number; close: number }[] = []

  constructor(row: RowView, delimiter: string) {
    this.#row = row
    this.#delimiter = delimiter.charCodeAt(0)
  }

  /** More of the file. */
  feed(piece: Buffer) {
    const rest = this.#length - this.#at
    const length = rest + piece.length
    const bytes = length < this.#bytes.length ? this.#bytes : Buffer.allocUnsafe(2 * length)
    this.#bytes.copy(bytes, 0, this.#at, this.#length)
    piece.copy(bytes, rest)
    bytes[length] = lineFeed
    this.#bytes = bytes
    this.#length = length
    this.#at = 0
    this.#isAscii = isAscii(bytes.subarray(0, length))
    this.#row.isAscii = this.#isAscii
  }

  /** The file has ended: its last row needs no line end. */
  end() {
    this.#isEnd = true
  }

  /** @returns false when the next row does not end in what was fed; else it is in the view */
  next(): boolean {
    if (this.#isSkipping) this.#skipLine()
    const start = this.#at
    if (start >= this.#length) return false
    const end = this.#scan(start)
    this.#row.fault = undefined
    if (end < 0) {
      if (!this.#isEnd && this.#length - start <= rowBytesMax) return false
      this.#row.fault = this.#isUnclosed ? 'a quote is not closed' : 'it is too long'
      this.#skipLine()
      return true
    }
    if (end === start) this.#row.length = 0
    if (!this.#isAscii && !isUtf8(this.#bytes.subarray(start, end))) this.#row.fault = notDecoded
    if (this.#irregular.length > 0) {
      for (const { field, close } of this.#irregular) this.#mend(field, close)
    }
    this.#at = this.#afterLineEnd(end)
    return true
  }

  /**
   * The loop that every byte of a file goes through.
   *
   * @returns where the row ends; -1 when that is not to be seen
   */
  #scan(start: number): number {
    const row = this.#row
    const bytes = this.#bytes
    const delimiter = this.#delimiter
    const length = this.#length
    row.bytes = bytes
    row.length = 0
    if (this.#irregular.length > 0) this.#irregular = []
    for (let at = start; ; at++) {
      let from = at
      let byte = bytes[at]
      if (byte === quote && at < length) {
        from = at + 1
        const close = this.#closingQuote(from)
        this.#isUnclosed = close === length
        if (close === length) return -1
        at = close + 1
        byte = bytes[at]
        while (byte !== delimiter && byte !== lineFeed && byte !== carriageReturn) {
          byte = bytes[++at]
        }
        row.add(from, close + 1 < at ? at : close)
        if (this.#isDoubled || close + 1 < at) {
          this.#irregular.push({ field: row.length - 1, close })
        }
      } else {
        while (byte !== delimiter && byte !== lineFeed && byte !== carriageReturn) {
          byte = bytes[++at]
        }
        row.add(from, at)
      }
      // Without more nobody knows whether the field ends here, or a line feed follows.
      const isLast = at === length || (byte === carriageReturn && at === length - 1)
      if (isLast && !this.#isEnd) return -1
      if (byte !== delimiter) return at
    }
  }

  /** Where the field that began here closes; the end when it does not. A doubled quote goes on. */
  #closingQuote(start: number): number {
    const bytes = this.#bytes
    const length = this.#length
    this.#isDoubled = false
    for (let at = start; at < length; at++) {
      if (bytes[at] !== quote) continue
      if (bytes[at + 1] !== quote) return at
      this.#isDoubled = true
      at++
    }
    return length
  }

  /** Two quotes are one, and what follows the closing one belongs to the field, as spreadsheets read it. */
  #mend(field: number, close: number) {
    const [bytes, row] = [this.#bytes, this.#row]
    let to = row.starts[field] as number
    for (let at = to; at < close; at++) {
      bytes[to++] = bytes[at] as number
      if (bytes[at] === quote) at++
    }
    for (let at = close + 1; at < (row.ends[field] as number); at++) {
      bytes[to++] = bytes[at] as number
    }
    row.ends[field] = to
  }

  #skipLine() {
    const bytes = this.#bytes
    let at = this.#at
    while (bytes[at] !== lineFeed && bytes[at] !== carriageReturn) at++
    this.#isSkipping = at === this.#length
    this.#at = this.#afterLineEnd(at)
  }

  #afterLineEnd(at: number): number {
    const isPair = this.#bytes[at] === carriageReturn && this.#bytes[at + 1] === lineFeed
    return Math.min(this.#length, at + (isPair ? 2 : 1))
  }
}

const quote = 0x22
const lineFeed = 0x0a
const carriageReturn = 0x0d

/** More is not a row but a quote that was not closed. */
const rowBytesMax = 4_000_000

const notDecoded = "it is not written in the file's encoding"

/** The one that parts the most in a line. */
export function findDelimiter(line: string): string {
  const counts = delimiters.map((delimiter) => line.split(delimiter).length)
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ','
}

const delimiters = [',', ';', '\t', '|']
