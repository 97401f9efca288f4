import { CopyBuffer } from '../../../kernel/db/copy-buffer.ts'
import type { ByteTable, TermLists } from '../terms/index.ts'

/** Memory that both threads see. It is written by the one whose turn it is with a batch. */
export const sharedBytes = (length: number): Buffer => Buffer.from(new SharedArrayBuffer(length))

/** Numbers, one after the other, in such memory. */
export class SharedNumbers {
  values: Uint32Array = new Uint32Array(new SharedArrayBuffer(1 << 14))
  length = 0

  push(value: number) {
    if (this.length === this.values.length) this.#grow(2 * this.length)
    this.values[this.length++] = value
  }

  /** The first so many of others in their place. */
  copy(others: Uint32Array, length: number) {
    if (length > this.values.length) this.#grow(2 * length)
    this.values.set(others.subarray(0, length))
    this.length = length
  }

  /** Forgets them, and keeps the memory. */
  clear() {
    this.length = 0
  }

  #grow(length: number) {
    const larger = new Uint32Array(new SharedArrayBuffer(4 * length))
    larger.set(this.values.subarray(0, this.length))
    this.values = larger
  }
}

/** The terms that lists have the numbers of, as the other thread gets them. */
export interface TermMemory {
  bytes: Uint8Array
  ends: Uint32Array
  size: number
  lists: { numbers: Uint32Array; ends: Uint32Array }
}

/** Terms as they are at a time, while more of them are numbered. */
export class SharedTerms {
  readonly #bytes = new CopyBuffer(1 << 16, sharedBytes)
  readonly #ends = new SharedNumbers()

  of(terms: ByteTable, { numbers, ends }: TermLists): TermMemory {
    const { size } = terms
    this.#bytes.clear()
    this.#bytes.append(terms.bytes.subarray(0, terms.startOf(size)))
    this.#ends.copy(terms.ends, size)
    const lists = { numbers, ends }
    return { bytes: this.#bytes.slice(), ends: this.#ends.values, size, lists }
  }
}
