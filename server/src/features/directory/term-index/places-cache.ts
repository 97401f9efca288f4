import type { Db } from '../../../kernel/db/db.ts'
import type { Places } from '../terms/index.ts'
import type { TermRange } from './condition.ts'
import type { Block } from './queries.ts'

/**
 * The places of ranges of terms that were asked for lately, block by block. A block that was made
 * anew has another version, under which nothing is found.
 */
export class PlacesCache {
  readonly #kept = new Map<string, Places>()
  #bytes = 0

  /** The same for everybody who asks on one database; undefined in a transaction. */
  static of(db: Db): PlacesCache | undefined {
    if (db.isTransaction) return undefined
    const cache = caches.get(db) ?? new PlacesCache()
    caches.set(db, cache)
    return cache
  }

  get({ block, version }: Block, range: TermRange): Places | undefined {
    const key = keyOf(block, version, range)
    const places = this.#kept.get(key)
    if (!places) return undefined
    // Those asked for last are forgotten last.
    this.#kept.delete(key)
    this.#kept.set(key, places)
    return places
  }

  set({ block, version }: Block, range: TermRange, places: Places) {
    const key = keyOf(block, version, range)
    if (this.#kept.has(key)) return
    this.#kept.set(key, places)
    this.#bytes += sizeOf(places)
    if (this.#bytes > bytesMax) this.#forgetOldest()
  }

  /** Many at once: to find the oldest of a map again and again takes longer than to forget it. */
  #forgetOldest() {
    for (const [key, places] of this.#kept) {
      if (this.#bytes <= 0.75 * bytesMax) return
      this.#kept.delete(key)
      this.#bytes -= sizeOf(places)
    }
  }
}

const caches = new WeakMap<Db, PlacesCache>()

const bytesMax = 1 << 25

const keyOf = (block: number, version: number, { first, last }: TermRange) =>
  `${block} ${version} ${first} ${last}`

/** With what a key and an array take besides. */
const sizeOf = (places: Places) =>
  250 + ('bits' in places ? places.bits.byteLength : places.list.byteLength)
