import { CopyBuffer } from '../../../kernel/db/copy-buffer.ts'

/** Rows as COPY takes them, one behind the other: `Rows` wrote them. */
export class RowBytes {
  readonly bytes: Buffer
  /** Row `n` ends at `ends[n]`, and begins where the one before it ends. */
  readonly ends: Uint32Array
  readonly count: number
  /** Of what is in front of its key, and behind the company's id. */
  readonly #headBytes: number
  readonly #tailBytes: number

  constructor({ bytes, ends, count, headBytes, tailBytes }: RowMemory) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    this.ends = ends
    this.count = count
    this.#headBytes = headBytes
    this.#tailBytes = tailBytes
  }

  /** What tells the row from others, and whose it is. */
  identify(index: number, id: Buffer, number: number, company: Buffer | undefined) {
    const { bytes } = this
    const start = this.startOf(index)
    put(bytes, start + 6, id)
    bytes.writeInt32BE(number, start + 10 + idBytes)
    if (company) put(bytes, this.endOf(index) - this.#tailBytes - idBytes, company)
  }

  startOf = (index: number) => (index === 0 ? 0 : (this.ends[index - 1] as number))
  endOf = (index: number) => this.ends[index] as number

  key(index: number): string {
    const at = this.#keyAt(index)
    return this.bytes.toString('utf8', at + 4, at + 4 + this.bytes.readInt32BE(at))
  }

  /** Its own fields; null where there is nothing. */
  texts(index: number, count: number): (string | null)[] {
    const { bytes } = this
    let at = this.#keyAt(index)
    return Array.from({ length: count }, () => {
      const size = bytes.readInt32BE(at)
      const start = at + 4
      at = start + Math.max(0, size)
      return size < 0 ? null : bytes.toString('utf8', start, at)
    })
  }

  /** By the bytes of their keys, equal ones as they came. */
  order(): Uint32Array {
    const starts = Float64Array.from({ length: this.count }, (_, at) =>
      sixBytesOf(this.bytes, this.#keyAt(at)),
    )
    const order = orderOf(starts)
    for (let from = 0, to = 1; from < order.length; from = to++) {
      const start = starts[order[from] as number]
      while (to < order.length && starts[order[to] as number] === start) to++
      if (to - from > 1) {
        const alike = order.subarray(from, to)
        alike.sort((a, b) => this.#compareKeys(a, b) || a - b)
      }
    }
    return order
  }

  hasSameKey = (one: number, other: number) => this.#compareKeys(one, other) === 0

  #compareKeys(one: number, other: number): number {
    const { bytes } = this
    const [a, b] = [this.#keyAt(one), this.#keyAt(other)]
    const [aEnd, bEnd] = [a + 4 + bytes.readInt32BE(a), b + 4 + bytes.readInt32BE(b)]
    return bytes.compare(bytes, b + 4, bEnd, a + 4, aEnd)
  }

  #keyAt = (index: number) => this.startOf(index) + this.#headBytes
}

export interface RowMemory {
  /** Of which the last row's end is the end. */
  bytes: Uint8Array
  ends: Uint32Array
  count: number
  headBytes: number
  tailBytes: number
}

export const idBytes = 16

/** The fields that all rows of a batch end with. */
export function rowTail(at: Date, isSample: boolean): Buffer {
  const tail = new CopyBuffer(32)
  tail.timestamp(at)
  tail.boolean(isSample)
  return tail.slice()
}

function put(target: Buffer, at: number, bytes: Buffer) {
  for (let i = 0; i < bytes.length; i++) target[at + i] = bytes[i] as number
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
function sixBytesOf(all: Buffer, key: number): number {
  const start = key + 4 + 2
  const missing = start + 6 - (key + 4 + all.readInt32BE(key))
  if (missing <= 0) return all.readUIntBE(start, 6)
  return missing < 6 ? all.readUIntBE(start, 6 - missing) * 256 ** missing : 0
}
