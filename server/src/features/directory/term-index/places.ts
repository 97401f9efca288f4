import { blockSize, listMax, type Places } from '../terms/index.ts'

/** A bit for every place of a block. */
export type PlaceSet = Uint32Array

const wordCount = blockSize / 32

export const emptySet = (): PlaceSet => new Uint32Array(wordCount)

export function addPlaces(set: PlaceSet, places: Places) {
  if ('bits' in places) return unite(set, places.bits)
  for (const place of places.list) {
    set[place >>> 5] = (set[place >>> 5] as number) | (1 << (place & 31))
  }
}

export const isNobody = (places: Places) => 'list' in places && places.list.length === 0

/** The places of several terms in one, as bits where these take less room. */
export function unionOf(all: Places[]): Places {
  const [only] = all
  if (only && all.length === 1) return only
  const lists = all.flatMap((places) => ('list' in places ? places.list : []))
  const count = lists.reduce((sum, list) => sum + list.length, 0)
  if (lists.length < all.length || count > listMax) {
    const bits = emptySet()
    for (const places of all) addPlaces(bits, places)
    return { bits }
  }
  const list = new Uint16Array(count)
  let length = 0
  for (const each of lists) {
    list.set(each, length)
    length += each.length
  }
  return { list }
}

export function removePlace(set: PlaceSet, place: number) {
  set[place >>> 5] = (set[place >>> 5] as number) & ~(1 << (place & 31))
}

export function unite(set: PlaceSet, other: PlaceSet) {
  for (let i = 0; i < wordCount; i++) set[i] = (set[i] as number) | (other[i] as number)
}

export function intersect(set: PlaceSet, other: PlaceSet) {
  for (let i = 0; i < wordCount; i++) set[i] = (set[i] as number) & (other[i] as number)
}

export function sizeOf(set: PlaceSet): number {
  let size = 0
  for (let i = 0; i < wordCount; i++) size += bitsIn(set[i] as number)
  return size
}

/** Descending, only those below `bound`. */
export function* placesBelow(set: PlaceSet, bound: number): Generator<number> {
  for (let i = Math.min(wordCount, (bound + 31) >>> 5) - 1; i >= 0; i--) {
    let word = set[i] as number
    while (word !== 0) {
      const bit = 31 - Math.clz32(word)
      word &= ~(1 << bit)
      const place = i * 32 + bit
      if (place < bound) yield place
    }
  }
}

/** Adds neighbouring bits, then pairs, then fours, and the bytes by one multiplication. */
function bitsIn(word: number): number {
  let sum = word - ((word >>> 1) & 0x5555_5555)
  sum = (sum & 0x3333_3333) + ((sum >>> 2) & 0x3333_3333)
  return Math.imul((sum + (sum >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24
}
