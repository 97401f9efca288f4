/**
 * All chance of a test or a simulation, from its seed. Each part draws from a stream of its own (`fork`), so
 * that one more draw in the workload does not change what the receivers do.
 */
export class Random {
  readonly #name: string
  #state: number

  constructor(name: string) {
    this.#name = name
    this.#state = hash(name)
  }

  fork(part: string): Random {
    return new Random(`${this.#name}/${part}`)
  }

  /** Uniform in [0, 1): mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  between(from: number, to: number): number {
    return from + this.next() * (to - from)
  }

  /** Whole, both ends included. */
  whole(from: number, to: number): number {
    return Math.floor(this.between(from, to + 1))
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.whole(0, items.length - 1)]
    if (item === undefined) throw new Error('there is nothing to pick from')
    return item
  }

  /** In place. */
  shuffle<T>(items: T[]): T[] {
    for (let last = items.length - 1; last > 0; last--) {
      const other = this.whole(0, last)
      const moved = items[last] as T
      items[last] = items[other] as T
      items[other] = moved
    }
    return items
  }

  fill(bytes: Uint8Array) {
    for (let at = 0; at < bytes.length; at++) bytes[at] = this.next() * 256
  }
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  }
  return value
}
