import { CopyBuffer } from '../../../kernel/db/copy-buffer.ts'

/**
 * Many rows as COPY takes them, one after the other: what is told apart by, which is filled in when
 * the row is written, then its own fields, of which the first is its key, then what all have.
 */
export class Rows {
  readonly fields = new CopyBuffer(1 << 25)
  readonly #head: Buffer
  #tail: Buffer = Buffer.alloc(0)
  #ends = new Uint32Array(1 << 16)
  #count = 0

  /** @param columns of the whole row */
  constructor(columns: number) {
    const head = new CopyBuffer(64)
    head.startRow(columns)
    head.bytea(Buffer.alloc(idBytes))
    head.integer(0)
    this.#head = Buffer.from(head.slice())
  }

  /**
   * Forgets the rows, and keeps the memory.
   *
   * @param tail the fields that all rows end with, as COPY takes them
   */
  clear(tail: Buffer) {
    this.fields.clear()
    this.#count = 0
    this.#tail = tail
  }

  /** Its own fields are written next. */
  start() {
    this.fields.append(this.#head)
  }

  /** The fields that were written since `start` are the row's own. */
  end(hasCompany: boolean) {
    if (hasCompany) this.fields.bytea(noId)
    else this.fields.null()
    this.fields.append(this.#tail)
    if (this.#count === this.#ends.length) {
      const larger = new Uint32Array(2 * this.#count)
      larger.set(this.#ends)
      this.#ends = larger
    }
    this.#ends[this.#count++] = this.fields.length
  }

  /** What tells the row from others, and whose it is. */
  identify(index: number, id: Buffer, number: number, company: Buffer | undefined) {
    const start = this.startOf(index)
    this.fields.overwrite(start + 6, id)
    this.fields.overwriteInteger(start + 10 + idBytes, number)
    if (company) this.fields.overwrite(this.endOf(index) - this.#tail.length - idBytes, company)
  }

  startOf = (index: number) => (index === 0 ? 0 : (this.#ends[index - 1] as number))
  endOf = (index: number) => this.#ends[index] as number

  key(index: number): string {
    const all = this.fields.slice()
    const at = this.#keyAt(index)
    return all.toString('utf8', at + 4, at + 4 + all.readInt32BE(at))
  }

  /** Its own fields; null where there is nothing. */
  texts(index: number, count: number): (string | null)[] {
    const all = this.fields.slice()
    let at = this.#keyAt(index)
    return Array.from({ length: count }, () => {
      const size = all.readInt32BE(at)
      const start = at + 4
      at = start + Math.max(0, size)
      return size < 0 ? null : all.toString('utf8', start, at)
    })
  }

  /** By the bytes of their keys, equal ones as they came. */
  order(): Uint32Array {
    const all = this.fields.slice()
    const starts = Float64Array.from({ length: this.#count }, (_, at) =>
      sixBytesOf(all, this.#keyAt(at)),
    )
    const order = orderOf(starts)
    for (let from = 0, to = 1; from < order.length; from = to++) {
      const start = starts[order[from] as number]
      while (to < order.length && starts[order[to] as number] === start) to++
      if (to - from > 1) {
        const alike = order.subarray(from, to)
        alike.sort((a, b) => compareKeys(all, this.#keyAt(a), this.#keyAt(b)) || a - b)
      }
    }
    return order
  }

  hasSameKey(one: number, other: number): boolean {
    return compareKeys(this.fields.slice(), this.#keyAt(one), this.#keyAt(other)) === 0
  }

  #keyAt = (index: number) => this.startOf(index) + this.#head.length
}

const idBytes = 16
const noId = Buffer.alloc(idBytes)

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

function compareKeys(all: Buffer, one: number, other: number): number {
  const [a, b] = [all.readInt32BE(one), all.readInt32BE(other)]
  return all.compare(all, other + 4, other + 4 + b, one + 4, one + 4 + a)
}
