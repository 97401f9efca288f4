/** Keeps values up to so many bytes in all; what was not asked for longest goes first. */
export class SizedCache<T> {
  readonly #bytesMax: number
  readonly #entries = new Map<string, { value: T; bytes: number }>()
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get bytes(): number {
    return this.#bytes
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  /** @param bytes about as much as it holds in memory; one that is larger than all is not kept */
  set(key: string, value: T, bytes: number) {
    this.delete(key)
    if (bytes > this.#bytesMax) return
    this.#entries.set(key, { value, bytes })
    this.#bytes += bytes
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#bytesMax) return
      this.delete(oldest)
    }
  }

  delete(key: string) {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0
    this.#entries.delete(key)
  }
}
