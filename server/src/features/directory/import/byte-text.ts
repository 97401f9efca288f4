import type { RowView } from './row-view.ts'

/** A text as its bytes in UTF-8, where a row has them or in memory of its own; used for one row after the other. */
export class ByteText {
  bytes: Buffer = Buffer.alloc(0)
  start = 0
  end = 0
  isNull = true
  #own = Buffer.alloc(0)

  static of(text: string | null): ByteText {
    const made = new ByteText()
    made.write(text)
    return made
  }

  clear() {
    this.isNull = true
  }

  /** The field as it lies there. */
  view(row: RowView, column: number) {
    this.bytes = row.bytes
    this.start = row.starts[column] as number
    this.end = row.ends[column] as number
    this.isNull = false
  }

  write(text: string | null) {
    this.isNull = text === null
    if (text === null) return
    this.end = this.#reserve(3 * text.length).write(text)
  }

  /** Two ASCII characters, and what is in another one. */
  join(prefix: string, { bytes, start, end }: ByteText) {
    const own = this.#reserve(end - start + 2)
    own[0] = prefix.charCodeAt(0)
    own[1] = prefix.charCodeAt(1)
    let at = 2
    for (let i = start; i < end; i++) own[at++] = bytes[i] as number
    this.end = at
    this.isNull = false
  }

  /** Whether it is an address at this domain. */
  isAt(domain: string): boolean {
    let at = this.end - domain.length
    if (at <= this.start || this.bytes[at - 1] !== atSign) return false
    for (let i = 0; i < domain.length; i++) {
      if (this.bytes[at++] !== domain.charCodeAt(i)) return false
    }
    return true
  }

  toString(): string | null {
    return this.isNull ? null : this.bytes.toString('utf8', this.start, this.end)
  }

  #reserve(length: number): Buffer {
    if (this.#own.length < length) this.#own = Buffer.allocUnsafe(2 * length)
    this.bytes = this.#own
    this.start = 0
    return this.#own
  }
}

const atSign = 0x40
