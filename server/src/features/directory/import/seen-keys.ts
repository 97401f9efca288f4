import type { ByteText } from './byte-text.ts'

/**
 * The keys of the rows so far, by 32 bits of each beside its place in a table: it takes one for
 * another once in thousands of millions, and never misses one.
 */
export class SeenKeys {
  readonly #slots = new Uint32Array(slotCount)
  readonly #keysMax: number
  #count = 0

  constructor(keysMax = 3_000_000) {
    this.#keysMax = keysMax
  }

  /** It can take no more: what comes now, it does not tell. */
  get isFull(): boolean {
    return this.#count >= this.#keysMax
  }

  /** @returns whether it was there */
  add({ bytes, start, end }: ByteText): boolean {
    if (this.isFull) return false
    let hash = 0x811c9dc5
    let mark = end - start
    let at = start
    for (; at + 4 <= end; at += 4) {
      const four = fourBytesAt(bytes, at)
      hash = Math.imul(hash ^ four, 0x01000193)
      hash ^= hash >>> 15
      mark = Math.imul(mark + four, 0x2c1b3c6d)
      mark ^= mark >>> 13
    }
    for (; at < end; at++) {
      const byte = bytes[at] as number
      hash = Math.imul(hash ^ byte, 0x01000193)
      mark = Math.imul(mark + byte, 0x2c1b3c6d)
    }
    hash = Math.imul(hash ^ (hash >>> 15), 0x297a2d39)
    const kept = (mark ^ (mark >>> 15)) >>> 0 || 1
    let slot = (hash ^ (hash >>> 15)) & slotMask
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & slotMask) {
      if (this.#slots[slot] === kept) return true
    }
    this.#slots[slot] = kept
    this.#count++
    return false
  }
}

/** 16 MB, in which three million keys are found quickly. */
const slotCount = 1 << 22
const slotMask = slotCount - 1

/** At once: the next step has to wait for the one before it. */
const fourBytesAt = (bytes: Buffer, at: number) =>
  (bytes[at] as number) |
  ((bytes[at + 1] as number) << 8) |
  ((bytes[at + 2] as number) << 16) |
  ((bytes[at + 3] as number) << 24)
