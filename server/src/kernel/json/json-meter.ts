/** In one object. A lead has the most: its fields and 100 custom variables. */
export const keysMax = 1000

/** Most values of a whole body: 1,000 leads with all that a lead can have are 115,000. */
export const valuesMax = 200_000

/** Digits outside of strings: twenty for each value. */
export const digitsMax = 20 * valuesMax

/**
 * Counts what a JSON text is made of before anything is made of it, by its bytes alone: a text of some
 * megabytes can hold millions of values, and JSON.parse would hold up the process for seconds. It
 * stops at the first limit that is broken; what is no JSON at all is left to the parser.
 */
export class JsonMeter {
  readonly #depthMax: number
  /** Colons outside of strings: one for each member of an object. */
  members = 0
  /** Whether a string has a `\\u` escape. */
  escapes = false
  /** The limit that was broken; the other figures are then of no use. */
  excess: 'keys' | 'values' | 'numbers' | 'depth' | undefined
  #isString = false
  #values = 0
  /** Digits of all numbers together: counting those of each would cost a branch for every other byte. */
  #digits = 0
  /** How many keys the object or list at each depth has. */
  readonly #keys: number[] = []
  #depth = 0

  constructor(depthMax: number) {
    this.#depthMax = depthMax
  }

  /**
   * Reads a part of the text, which may take a millisecond for each 100 kB.
   *
   * @returns where the next part begins
   */
  read(bytes: Buffer, from: number, to: number): number {
    // Fields cost several times as much as variables.
    let [isString, members, escapes] = [this.#isString, this.members, this.escapes]
    let [values, digits, depth] = [this.#values, this.#digits, this.#depth]
    const keys = this.#keys
    let at = from
    for (; at < to; at++) {
      const byte = bytes[at] as number
      if (isString) {
        if (byte === quote) isString = false
        else if (byte === backslash) {
          at++
          escapes ||= bytes[at] === letterU
        }
        continue
      }
      switch (kinds[byte]) {
        case kind.quote:
          isString = true
          break
        case kind.digit:
          if (++digits > digitsMax) return this.#stop('numbers', bytes)
          break
        case kind.comma:
          if (++values > valuesMax) return this.#stop('values', bytes)
          break
        case kind.colon: {
          members++
          const count = (keys[depth] ?? 0) + 1
          if (count > keysMax) return this.#stop('keys', bytes)
          keys[depth] = count
          break
        }
        case kind.open:
          if (++depth > this.#depthMax) return this.#stop('depth', bytes)
          if (++values > valuesMax) return this.#stop('values', bytes)
          keys[depth] = 0
          break
        case kind.close:
          depth--
      }
    }
    Object.assign(this, { members, escapes })
    this.#isString = isString
    this.#values = values
    this.#digits = digits
    this.#depth = depth
    return at
  }

  #stop(excess: NonNullable<JsonMeter['excess']>, { length }: Buffer): number {
    this.excess = excess
    return length
  }
}

const [quote, backslash, letterU] = [0x22, 0x5c, 0x75]

const kind = { quote: 1, digit: 2, comma: 3, colon: 4, open: 5, close: 6 } as const

/** What each byte stands for. Most stand for nothing, and one look tells. */
const kinds = new Uint8Array(256)
for (const [of, characters] of Object.entries({
  ...{ quote: '"', digit: '0123456789', comma: ',', colon: ':', open: '{[', close: '}]' },
})) {
  for (const character of characters) kinds[character.charCodeAt(0)] = kind[of as keyof typeof kind]
}
