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
    const byte = bytes[at]
    if (isString) {
      if (byte === backslash) {
        at++
        escapes ||= bytes[at] === letterU
      } else if (byte === quote) isString = false
    } else if (byte === quote) isString = true
    else if (byte !== undefined && byte >= digit0 && byte <= digit9) {
      if (++digits > digitsMax) return { members, escapes, excess: 'numbers' }
    } else if (byte === comma) {
      if (++values > valuesMax) return { members, escapes, excess: 'values' }
    } else if (byte === colon) {
      members++
      const count = (keys[depth] ?? 0) + 1
      if (count > keysMax) return { members, escapes, excess: 'keys' }
      keys[depth] = count
    } else if (byte === openBrace || byte === openBracket) {
      if (++depth > depthMax) return { members, escapes, excess: 'depth' }
      if (++values > valuesMax) return { members, escapes, excess: 'values' }
      keys[depth] = 0
    } else if (byte === closeBrace || byte === closeBracket) depth--
  }
  return { members, escapes }
}

const [digit0, digit9] = [0x30, 0x39]
const [quote, backslash, comma, colon, letterU] = [0x22, 0x5c, 0x2c, 0x3a, 0x75]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]
