import { hash } from 'node:crypto'

/**
 * Which texts came before, in 11 to 21 bytes each: a Set keeps the texts as well, and takes 125. Two texts
 * are taken for one with a chance of 1 in 30,000,000 among a million.
 */
export class Fingerprints {
  /** Open addressing; 0 is free. */
  #slots = new BigUint64Array(1 << 12)
  #count = 0

  /** @returns whether the text is a new one */
  add(text: string): boolean {
    const print = hash('sha1', text, 'buffer').readBigUInt64LE() || 1n
    const at = this.#find(print)
    if (this.#slots[at] !== 0n) return false
    this.#slots[at] = print
    this.#count++
    if (this.#count > this.#slots.length * 0.75) this.#grow()
    return true
  }

  /** The slot in which a print is or belongs. */
  #find(print: bigint): number {
    const mask = this.#slots.length - 1
    let at = Number(print & BigInt(mask))
    while (this.#slots[at] !== 0n && this.#slots[at] !== print) at = (at + 1) & mask
    return at
  }

  #grow() {
    const before = this.#slots
    this.#slots = new BigUint64Array(2 * before.length)
    for (const print of before) if (print !== 0n) this.#slots[this.#find(print)] = print
  }
}
