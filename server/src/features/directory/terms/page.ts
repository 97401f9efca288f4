import type { ByteStrings } from './byte-strings.ts'

/** Contacts of a block are told apart by their place in it. */
export const blockSize = 65_536

/** Terms in byte order, each with the places of the contacts that have it. */
export interface IndexPage {
  firstTerm: Buffer
  page: Buffer
}

/** The places of term `n` are those from `starts[n]` to `ends[n]`: ascending, each once. */
export interface SortedPlaces {
  places: Uint16Array
  starts: Uint32Array
  ends: Uint32Array
}

/** A list of places, or for many a bit for each place of the block. */
export type Places = { list: Uint16Array } | { bits: Uint32Array }

/** From here on the bits take less room than the list. */
export const listMax = 4096
const bitsBytes = blockSize / 8

// A row of this size stays in the table's own page, and reading one term reads few others.
const pageBytes = 1900

/**
 * Packs terms, given in byte order, into pages. An entry is: length of the term, term, number of
 * places less one, places; little-endian.
 */
export class PageWriter {
  #buffer = Buffer.allocUnsafe(1 << 16)
  #other = Buffer.allocUnsafe(1 << 16)
  #length = 0
  #firstTerm: Buffer = Buffer.alloc(0)

  /**
   * @param number of the term
   * @param of which of the places are its; there is at least one
   * @returns the page that is full, when the term begins another
   */
  add(
    terms: ByteStrings,
    number: number,
    { places, starts, ends }: SortedPlaces,
    of: number,
  ): IndexPage | undefined {
    const [start, end] = [terms.startOf(number), terms.endOf(number)]
    const [from, to] = [starts[of] as number, ends[of] as number]
    const count = to - from
    const size = 1 + end - start + 2 + (count > listMax ? bitsBytes : 2 * count)
    const full = this.#length + size > pageBytes ? this.end() : undefined
    const { bytes } = terms
    if (this.#length === 0) this.#firstTerm = bytes.subarray(start, end)
    const buffer = this.#buffer
    let at = this.#length
    buffer[at++] = end - start
    for (let i = start; i < end; i++) buffer[at++] = bytes[i] as number
    buffer[at++] = (count - 1) & 0xff
    buffer[at++] = (count - 1) >>> 8
    if (count > listMax) {
      buffer.fill(0, at, at + bitsBytes)
      for (let i = from; i < to; i++) {
        const place = places[i] as number
        const byte = at + (place >>> 3)
        buffer[byte] = (buffer[byte] as number) | (1 << (place & 7))
      }
    } else {
      for (let i = from; i < to; i++) {
        const place = places[i] as number
        buffer[at++] = place & 0xff
        buffer[at++] = place >>> 8
      }
    }
    this.#length += size
    return full
  }

  /** The page that is being filled, if anything is in it. It is valid until the next one ends. */
  end(): IndexPage | undefined {
    if (this.#length === 0) return undefined
    const page = this.#buffer.subarray(0, this.#length)
    ;[this.#buffer, this.#other] = [this.#other, this.#buffer]
    this.#length = 0
    return { firstTerm: this.#firstTerm, page }
  }
}

/** The places of the terms from `first` to `last`, both included. */
export function* placesIn(page: Buffer, first: Buffer, last: Buffer): Generator<Places> {
  for (let at = 0; at < page.length; ) {
    const termStart = at + 1
    const termEnd = termStart + (page[at] as number)
    const count = page.readUInt16LE(termEnd) + 1
    const start = termEnd + 2
    at = start + (count > listMax ? bitsBytes : 2 * count)
    if (page.compare(first, 0, first.length, termStart, termEnd) < 0) continue
    if (page.compare(last, 0, last.length, termStart, termEnd) > 0) return
    yield count > listMax
      ? { bits: new Uint32Array(copyOf(page, start, at)) }
      : { list: new Uint16Array(copyOf(page, start, at)) }
  }
}

/** Aligned, as typed arrays need it. */
function copyOf(page: Buffer, start: number, end: number): ArrayBuffer {
  const copy = new ArrayBuffer(end - start)
  page.copy(new Uint8Array(copy), 0, start, end)
  return copy
}
