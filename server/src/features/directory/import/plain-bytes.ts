/** Whether all bytes are printable ASCII without a space: nothing about them is to be tidied. */
export function isPlain(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number
    if (byte <= 0x20 || byte >= 0x7f) return false
  }
  return true
}

/**
 * Whether it is an e-mail address that is already folded: of lower-case letters, digits and the usual
 * signs. It says no to some that are, and never yes to what `foldAddress` would change.
 */
export function isPlainAddress(bytes: Buffer, start: number, end: number): boolean {
  if (end - start > addressBytesMax) return false
  let split = -1
  let before: number = dot
  for (let at = start; at < end; at++) {
    const kind = kinds[bytes[at] as number] as number
    if (kind === other) return false
    if (kind === atSign) {
      if (split >= 0 || before === dot || at - start > localBytesMax) return false
      split = at
    } else if (kind === dot) {
      if (before === dot || before === atSign || (split >= 0 && before === hyphen)) return false
    } else if (split >= 0 && kind !== letter && kind !== digit) {
      // Two hyphens in a row may be those of an encoded name.
      if (kind !== hyphen || (before !== letter && before !== digit)) return false
    }
    before = kind
  }
  return split >= 0 && isPlainDomain(bytes, split + 1, end)
}

/** Of labels that are known to be in order: whether none is too long, and the last is a name. */
function isPlainDomain(bytes: Buffer, start: number, end: number): boolean {
  let label = start
  for (let at = start; at < end; at++) {
    if (bytes[at] !== dotByte) continue
    if (at - label > labelBytesMax) return false
    label = at + 1
  }
  const length = end - label
  if (label === start || length < 2 || length > labelBytesMax) return false
  return kinds[bytes[label] as number] === letter && kinds[bytes[end - 1] as number] !== hyphen
}

const [other, letter, digit, hyphen, sign, dot, atSign] = [0, 1, 2, 3, 4, 5, 6] as const
const dotByte = 0x2e
const addressBytesMax = 254
const localBytesMax = 64
const labelBytesMax = 63

const kinds = new Uint8Array(256)
for (const [kind, characters] of [
  [letter, 'abcdefghijklmnopqrstuvwxyz'],
  [digit, '0123456789'],
  [hyphen, '-'],
  [sign, '_%+'],
  [dot, '.'],
  [atSign, '@'],
] as const) {
  for (const byte of Buffer.from(characters)) kinds[byte] = kind
}
