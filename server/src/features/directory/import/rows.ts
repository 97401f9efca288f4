import { CopyBuffer } from '../../../kernel/db/copy-buffer.ts'

/** The fields of many rows as COPY takes them, one row after the other; the first one is its key. */
export class Rows {
  readonly fields = new CopyBuffer(1 << 24)
  #ends: number[] = []

  /** Forgets the rows, and keeps the memory. */
  clear() {
    this.fields.clear()
    this.#ends = []
  }

  /** The fields that were written since the last row are one. */
  end() {
    this.#ends.push(this.fields.length)
  }

  at(index: number): Buffer {
    return this.fields.slice(this.#startOf(index), this.#ends[index])
  }

  key(index: number): string {
    const row = this.at(index)
    return row.toString('utf8', 4, 4 + row.readInt32BE(0))
  }

  /** Null where there is none. */
  texts(index: number): (string | null)[] {
    const row = this.at(index)
    const texts: (string | null)[] = []
    for (let at = 0; at < row.length; ) {
      const size = row.readInt32BE(at)
      at += 4
      texts.push(size < 0 ? null : row.toString('utf8', at, at + size))
      at += Math.max(0, size)
    }
    return texts
  }

  /** By the bytes of their keys, equal ones as they came. */
  order(): Uint32Array {
    const all = this.fields.slice()
    const order = Uint32Array.from(this.#ends.keys())
    const starts = Float64Array.from(order, (at) => sixBytesOf(all, this.#startOf(at)))
    return order.sort(
      (a, b) =>
        (starts[a] as number) - (starts[b] as number) ||
        compareKeys(all, this.#startOf(a), this.#startOf(b)) ||
        a - b,
    )
  }

  hasSameKey(one: number, other: number): boolean {
    return compareKeys(this.fields.slice(), this.#startOf(one), this.#startOf(other)) === 0
  }

  #startOf = (index: number) => this.#ends[index - 1] ?? 0
}

/** Of a key, behind the two that tell its kind: nearly always enough to tell two rows apart. */
function sixBytesOf(all: Buffer, row: number): number {
  const start = row + 4 + 2
  const missing = start + 6 - (row + 4 + all.readInt32BE(row))
  if (missing <= 0) return all.readUIntBE(start, 6)
  return missing < 6 ? all.readUIntBE(start, 6 - missing) * 256 ** missing : 0
}

function compareKeys(all: Buffer, one: number, other: number): number {
  const [a, b] = [all.readInt32BE(one), all.readInt32BE(other)]
  return all.compare(all, other + 4, other + 4 + b, one + 4, one + 4 + a)
}
