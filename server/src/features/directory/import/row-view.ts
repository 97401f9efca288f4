/** The row that was read last: where its fields lie in a buffer. Valid until the next one is read. */
export class RowView {
  bytes: Buffer = Buffer.alloc(0)
  starts = new Int32Array(64)
  ends = new Int32Array(64)
  /** Fields; a blank line has none. */
  length = 0
  /** Known to have no other characters. */
  isAscii = false
  /** Why the row cannot be read; undefined when it was. */
  fault: string | undefined

  add(start: number, end: number) {
    if (this.length === this.starts.length) {
      this.starts = grown(this.starts)
      this.ends = grown(this.ends)
    }
    this.starts[this.length] = start
    this.ends[this.length++] = end
  }

  /** Undefined where the row has no such field, or nothing in it. */
  text(column: number): string | undefined {
    if (this.isEmpty(column)) return undefined
    const encoding = this.isAscii ? 'latin1' : 'utf8'
    return this.bytes.toString(encoding, this.starts[column], this.ends[column])
  }

  isEmpty(column: number): boolean {
    return column < 0 || column >= this.length || this.starts[column] === this.ends[column]
  }

  isBlank(): boolean {
    return this.texts().every((text) => text.trim() === '')
  }

  /** Its bytes, a character for each. */
  latin1(column: number): string {
    if (this.isEmpty(column)) return ''
    return this.bytes.toString('latin1', this.starts[column], this.ends[column])
  }

  texts(): string[] {
    return Array.from({ length: this.length }, (_, column) => this.text(column) ?? '')
  }

  /** Takes its fields from texts. */
  fill(texts: (string | undefined)[]) {
    const length = texts.reduce((sum, text) => sum + 3 * (text?.length ?? 0), 0)
    if (this.bytes.length < length) this.bytes = Buffer.allocUnsafe(2 * length)
    this.length = 0
    this.fault = undefined
    let end = 0
    for (let column = 0; column < texts.length; column++) {
      const start = end
      end += this.bytes.write(texts[column] ?? '', start)
      this.add(start, end)
    }
  }
}

function grown(places: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * places.length)
  larger.set(places)
  return larger
}
