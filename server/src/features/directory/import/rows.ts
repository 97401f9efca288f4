import { CopyBuffer } from '../../../kernel/db/copy-buffer.ts'

/** The fields of many rows as COPY takes them, one row after the other; the first one is its key. */
export class Rows {
  readonly fields = new CopyBuffer(1 << 25)
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
    const starts = Float64Array.from(this.#ends, (_, at) => sixBytesOf(all, this.#startOf(at)))
    const order = orderOf(starts)
    for (let from = 0, to = 1; from < order.length; from = to++) {
      const start = starts[order[from] as number]
      while (to < order.length && starts[order[to] as number] === start) to++
      if (to - from > 1) {
        const alike = order.subarray(from, to)
        alike.sort((a, b) => compareKeys(all, this.#startOf(a), this.#startOf(b)) || a - b)
      }
    }
    return order
  }

  hasSameKey(one: number, other: number): boolean {
    return compareKeys(this.fields.slice(), this.#startOf(one), this.#startOf(other)) === 0
  }

  #startOf = (index: number) => this.#ends[index - 1] ?? 0
}

/** Where the numbers are in ascending order. They have 48 bits: 16 are left for where each was. */
function orderOf(numbers: Float64Array): Uint32Array {
  if (numbers.length > 1 << 16) throw new RangeError('So many rows are no batch.')
  const keys = new BigUint64Array(numbers.length)
  const halves = new Uint32Array(keys.buffer)
  const [low, high] = isLittleEndian ? [0, 1] : [1, 0]
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at] as number
    halves[2 * at + high] = number / 0x1_0000
    halves[2 * at + low] = (number % 0x1_0000) * 0x1_0000 + at
  }
  // Without a comparison of ours it needs no call for each pair.
  keys.sort()
  return Uint32Array.from(numbers, (_, at) => (halves[2 * at + low] as number) & 0xffff)
}

const isLittleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1

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
