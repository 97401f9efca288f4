/** In one object. A lead has the most: its fields and 100 custom variables. */
export const keysMax = 1000

/** In a whole body: 1,000 leads with all that a lead can have are 115,000. */
export const valuesMax = 200_000

/** Digits outside of strings: twenty for each value. */
export const digitsMax = 20 * valuesMax

/** What a JSON text is made of, told by its bytes alone. */
export interface JsonSize {
  /** Colons outside of strings: one for each member of an object. */
  members: number
  /** Whether a string has a `\\u` escape. */
  escapes: boolean
  /** The limit that it breaks; the other figures are then of no use. */
  excess?: 'keys' | 'values' | 'numbers' | 'depth'
}

/**
 * Counts before anything is made of a body, because a text of some megabytes can hold millions of
 * values, and JSON.parse would hold up the process for seconds. Stops at the first limit that is
 * broken; what is no JSON at all is left to the parser.
 */
export function measureJson(bytes: Buffer, depthMax: number): JsonSize {
  let members = 0
  let values = 0
  let escapes = false
  let isString = false
  /** Of all numbers: the digits of each would cost a branch for every other byte. */
  let digits = 0
  const keys: number[] = []
  let depth = 0
  for (let at = 0; at < bytes.length; at++) {
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
        if (++digits > digitsMax) return { members, escapes, excess: 'numbers' }
        break
      case kind.comma:
        if (++values > valuesMax) return { members, escapes, excess: 'values' }
        break
      case kind.colon: {
        members++
        const count = (keys[depth] ?? 0) + 1
        if (count > keysMax) return { members, escapes, excess: 'keys' }
        keys[depth] = count
        break
      }
      case kind.open:
        if (++depth > depthMax) return { members, escapes, excess: 'depth' }
        if (++values > valuesMax) return { members, escapes, excess: 'values' }
        keys[depth] = 0
        break
      case kind.close:
        depth--
    }
  }
  return { members, escapes }
}

const [quote, backslash, letterU] = [0x22, 0x5c, 0x75]

const kind = { quote: 1, digit: 2, comma: 3, colon: 4, open: 5, close: 6 } as const

/** By byte; most stand for nothing, and one look tells. */
const kinds = new Uint8Array(256)
for (const [of, characters] of Object.entries({
  ...{ quote: '"', digit: '0123456789', comma: ',', colon: ':', open: '{[', close: '}]' },
})) {
  for (const character of characters) kinds[character.charCodeAt(0)] = kind[of as keyof typeof kind]
}
