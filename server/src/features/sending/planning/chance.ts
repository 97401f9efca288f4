/**
 * A number in [0, 1) that looks random and is always the same for a text: who plans again, or plans
 * in another process, comes to the same choice.
 */
export function chanceOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return chanceOfNumber(hash)
}

/** A number in [0, 1) that looks random and is always the same for a number. */
export function chanceOfNumber(number: number): number {
  let hash = number
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}
