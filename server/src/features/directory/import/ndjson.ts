import { isUtf8 } from 'node:buffer'

/** Reads one JSON object from every line of UTF-8. */
export class NdjsonScanner {
  #bytes: Buffer = Buffer.alloc(0)
  #at = 0
  #isEnd = false
  /** The rest of a line that is too long is still to come. */
  #isSkipping = false
  /** The last line's members as text, those of an object within it by both names: `company domain`. */
  members: [string, string][] = []
  /** Why the last line has none; a blank one has neither. */
  fault: string | undefined

  feed(piece: Buffer) {
    const rest = this.#bytes.subarray(this.#at)
    this.#bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    this.#at = 0
  }

  end() {
    this.#isEnd = true
  }

  /** @returns false when the next line does not end in what was fed */
  next(): boolean {
    const found = this.#bytes.indexOf('\n', this.#at)
    const end = found === -1 ? this.#bytes.length : found
    const line = this.#bytes.subarray(this.#at, end)
    const isTooLong = line.length > lineBytesMax
    if (found === -1 && (this.#isEnd ? line.length === 0 : !isTooLong)) return false
    this.#at = Math.min(end + 1, this.#bytes.length)
    const isSkipped = this.#isSkipping
    this.#isSkipping = found === -1
    if (isSkipped) return this.next()
    this.members = []
    this.fault = isTooLong ? 'it is too long' : this.#parse(line)
    return true
  }

  #parse(line: Buffer): string | undefined {
    if (!isUtf8(line)) return "it is not written in the file's encoding"
    const text = line.toString().trim()
    if (text === '') return undefined
    try {
      const object: unknown = JSON.parse(text)
      if (typeof object === 'object' && object !== null && !Array.isArray(object)) {
        this.members = membersOf(object)
        return undefined
      }
    } catch {
      // Said below: the parser's message would quote the row.
    }
    return 'it is not a JSON object'
  }
}

/** More is no object of a person. */
export const lineBytesMax = 4_000_000

function membersOf(object: object, within = ''): [string, string][] {
  return Object.entries(object).flatMap(([key, value]): [string, string][] => {
    const name = within + key
    if (value === null) return []
    if (Array.isArray(value)) return [[name, listOf(value)]]
    return typeof value === 'object' ? membersOf(value, `${name} `) : [[name, String(value)]]
  })
}

/** Of a list of one with a comma in it the end is told, too: it would be read as a list of two. */
function listOf(values: unknown[]): string {
  const texts = values.filter((value) => value !== null).map(String)
  return texts.join(';') + (texts.length === 1 && /[,|]/.test(texts[0] ?? '') ? ';' : '')
}
