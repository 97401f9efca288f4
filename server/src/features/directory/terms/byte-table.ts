import { ByteStrings } from './byte-strings.ts'

/**
 * Byte strings, numbered as they come. What was there before is found without making a string of it:
 * to look a new string up in a `Map` costs several times as much.
 */
export class ByteTable extends ByteStrings {
  /** Of each slot the hash, and the number and one. */
  #slots = new Int32Array(1 << 11)
  #typed = Buffer.allocUnsafe(1 << 10)

  constructor() {
    super(Buffer.allocUnsafe(1 << 12), new Uint32Array(1 << 9), 0)
  }

  /** @returns its number; -1 when it is not there */
  find(bytes: Buffer, start: number, end: number): number {
    const slots = this.#slots
    return (slots[this.#slotOf(hashOf(bytes, start, end), bytes, start, end) + 1] as number) - 1
  }

  /** @returns its number, a new one when it was not there */
  numberOf(bytes: Buffer, start: number, end: number): number {
    const hash = hashOf(bytes, start, end)
    const slot = this.#slotOf(hash, bytes, start, end)
    const found = (this.#slots[slot + 1] as number) - 1
    return found >= 0 ? found : this.#add(hash, slot, bytes, start, end)
  }

  /** The same for a text. */
  numberOfText(text: string, encoding: 'utf8' | 'latin1' = 'utf8'): number {
    return this.numberOf(this.#typed, 0, this.#type(text, encoding))
  }

  /** Forgets them, and keeps the memory. */
  clear() {
    this.#slots.fill(0)
    this.size = 0
  }

  /** @returns where its slot is, or would be */
  #slotOf(hash: number, bytes: Buffer, start: number, end: number): number {
    const slots = this.#slots
    const mask = slots.length - 2
    for (let slot = (2 * hash) & mask; ; slot = (slot + 2) & mask) {
      const number = (slots[slot + 1] as number) - 1
      if (number < 0) return slot
      if (slots[slot] === hash && this.#is(number, bytes, start, end)) return slot
    }
  }

  #is(number: number, bytes: Buffer, start: number, end: number): boolean {
    const own = this.bytes
    const from = number === 0 ? 0 : (this.ends[number - 1] as number)
    const length = end - start
    if ((this.ends[number] as number) - from !== length) return false
    for (let i = 0; i < length; i++) if (own[from + i] !== bytes[start + i]) return false
    return true
  }

  #add(hash: number, slot: number, bytes: Buffer, start: number, end: number): number {
    const number = this.size++
    const from = this.startOf(number)
    const to = from + end - start
    if (to > this.bytes.length) this.bytes = Buffer.concat([this.bytes], 2 * to)
    bytes.copy(this.bytes, from, start, end)
    if (number === this.ends.length) {
      const ends = new Uint32Array(2 * number)
      ends.set(this.ends)
      this.ends = ends
    }
    this.ends[number] = to
    this.#slots[slot] = hash
    this.#slots[slot + 1] = number + 1
    if (4 * this.size > this.#slots.length) this.#grow()
    return number
  }

  #grow() {
    const slots = this.#slots
    const larger = new Int32Array(2 * slots.length)
    const mask = larger.length - 2
    for (let from = 0; from < slots.length; from += 2) {
      if (slots[from + 1] === 0) continue
      let slot = (2 * (slots[from] as number)) & mask
      while (larger[slot + 1] !== 0) slot = (slot + 2) & mask
      larger[slot] = slots[from] as number
      larger[slot + 1] = slots[from + 1] as number
    }
    this.#slots = larger
  }

  /** @returns how many bytes it has */
  #type(text: string, encoding: 'utf8' | 'latin1'): number {
    const { length } = text
    if (this.#typed.length < 3 * length) this.#typed = Buffer.allocUnsafe(6 * length)
    const typed = this.#typed
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i)
      if (code > 0x7f) return typed.write(text, encoding)
      typed[i] = code
    }
    return length
  }
}

/** FNV-1a, with its upper half mixed into the lower, which alone chooses the slot. */
function hashOf(bytes: Buffer, start: number, end: number): number {
  let hash = 0x811c9dc5
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193)
  return hash ^ (hash >>> 15)
}
