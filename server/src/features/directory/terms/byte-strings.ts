/** Byte strings, one behind the other. */
export class ByteStrings {
  bytes: Buffer
  /** Where each ends in `bytes`; it begins where the one before it ends. */
  ends: Uint32Array
  size: number

  constructor(bytes: Buffer, ends: Uint32Array, size: number) {
    this.bytes = bytes
    this.ends = ends
    this.size = size
  }

  startOf(number: number): number {
    return number === 0 ? 0 : (this.ends[number - 1] as number)
  }

  endOf(number: number): number {
    return this.ends[number] as number
  }

  /** These numbers in the order of their bytes. */
  sorted(numbers: Uint32Array): Uint32Array {
    const beginnings = new Float64Array(numbers.length)
    for (let at = 0; at < numbers.length; at++) {
      beginnings[at] = this.#beginning(numbers[at] as number)
    }
    const places = orderOf(beginnings)
    const order = new Uint32Array(places.length)
    let from = 0
    for (let at = 0; at < places.length; at++) {
      const place = places[at] as number
      order[at] = numbers[place] as number
      if (beginnings[place] !== beginnings[places[from] as number]) from = at
      else if (at > from) this.#sink(order, from, at)
    }
    return order
  }

  /** Its first bytes, zeros where it has fewer: nearly always enough to tell which of two comes first. */
  #beginning(number: number): number {
    const bytes = this.bytes
    const start = this.startOf(number)
    const end = this.endOf(number)
    let beginning = 0
    for (let at = start; at < start + beginningBytes; at++) {
      beginning = 256 * beginning + (at < end ? (bytes[at] as number) : 0)
    }
    return beginning
  }

  /** Puts the one at `at` where it belongs among those from `from` on, which begin as it does. */
  #sink(order: Uint32Array, from: number, at: number) {
    const number = order[at] as number
    let low = from
    let high = at
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#isBefore(number, order[middle] as number)) high = middle
      else low = middle + 1
    }
    order.copyWithin(low + 1, low, at)
    order[low] = number
  }

  #isBefore(one: number, other: number): boolean {
    const bytes = this.bytes
    const [oneEnd, otherEnd] = [this.endOf(one), this.endOf(other)]
    let [at, against] = [this.startOf(one), this.startOf(other)]
    while (at < oneEnd && against < otherEnd && bytes[at] === bytes[against]) {
      at++
      against++
    }
    if (at === oneEnd || against === otherEnd) return against < otherEnd
    return (bytes[at] as number) < (bytes[against] as number)
  }
}

const beginningBytes = 5

/** Where the beginnings are in ascending order. They have 40 bits: 24 are left for where each was. */
function orderOf(beginnings: Float64Array): Uint32Array {
  const keys = new BigUint64Array(beginnings.length)
  const halves = new Uint32Array(keys.buffer)
  const [low, high] = isLittleEndian ? [0, 1] : [1, 0]
  for (let at = 0; at < beginnings.length; at++) {
    const beginning = beginnings[at] as number
    halves[2 * at + high] = beginning / 0x100
    halves[2 * at + low] = (beginning % 0x100) * 0x100_0000 + at
  }
  // Without a comparison of ours it needs no call for each pair.
  keys.sort()
  const order = new Uint32Array(beginnings.length)
  for (let at = 0; at < order.length; at++) {
    order[at] = (halves[2 * at + low] as number) & 0xff_ffff
  }
  return order
}

const isLittleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1
