import type { RowView } from './row-view.ts'

/**
 * A map whose keys are fields of rows, compared by their bytes: what was seen before is found
 * without making a string of it.
 */
export class TextTable<T> {
  readonly #entriesMax: number
  /** Of each slot the hash, and the number of the entry and one. */
  #slots = new Int32Array(1 << 12)
  #keyEnds: number[] = []
  #keys = Buffer.allocUnsafe(1 << 14)
  #values: T[] = []

  /** @param entriesMax with more it forgets all of them */
  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax
  }

  get isFull(): boolean {
    return this.#values.length >= this.#entriesMax
  }

  get(row: RowView, column: number): T | undefined {
    const start = row.starts[column] as number
    const end = row.ends[column] as number
    const hash = hashOf(row.bytes, start, end)
    const slots = this.#slots
    const mask = slots.length - 2
    for (let slot = (2 * hash) & mask; ; slot = (slot + 2) & mask) {
      const entry = (slots[slot + 1] as number) - 1
      if (entry < 0) return undefined
      if (slots[slot] === hash && this.#isKey(entry, row.bytes, start, end)) {
        return this.#values[entry]
      }
    }
  }

  /** For a key that is not there. */
  set(row: RowView, column: number, value: T) {
    if (this.isFull) this.clear()
    const start = row.starts[column] as number
    const end = row.ends[column] as number
    const hash = hashOf(row.bytes, start, end)
    const keyStart = this.#keyEnds.at(-1) ?? 0
    while (this.#keys.length - keyStart < end - start) {
      this.#keys = Buffer.concat([this.#keys], 2 * this.#keys.length)
    }
    row.bytes.copy(this.#keys, keyStart, start, end)
    this.#keyEnds.push(keyStart + end - start)
    this.#values.push(value)
    if (4 * this.#values.length > this.#slots.length) this.#grow()
    this.#place(hash, this.#values.length)
  }

  clear() {
    this.#slots.fill(0)
    this.#keyEnds = []
    this.#values = []
  }

  #isKey(entry: number, bytes: Buffer, start: number, end: number): boolean {
    const keyStart = this.#keyEnds[entry - 1] ?? 0
    if ((this.#keyEnds[entry] as number) - keyStart !== end - start) return false
    for (let i = 0; i < end - start; i++) {
      if (this.#keys[keyStart + i] !== bytes[start + i]) return false
    }
    return true
  }

  #grow() {
    const slots = this.#slots
    this.#slots = new Int32Array(2 * slots.length)
    for (let slot = 0; slot < slots.length; slot += 2) {
      if (slots[slot + 1] !== 0) this.#place(slots[slot] as number, slots[slot + 1] as number)
    }
  }

  #place(hash: number, entryPlusOne: number) {
    const slots = this.#slots
    const mask = slots.length - 2
    let slot = (2 * hash) & mask
    while (slots[slot + 1] !== 0) slot = (slot + 2) & mask
    slots[slot] = hash
    slots[slot + 1] = entryPlusOne
  }
}

/** FNV-1a, with its upper half mixed into the lower, which alone chooses the slot. */
function hashOf(bytes: Buffer, start: number, end: number): number {
  let hash = 0x811c9dc5
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193)
  return hash ^ (hash >>> 15)
}
