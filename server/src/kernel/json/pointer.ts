/** A name as a part of a JSON pointer: RFC 6901 §3. */
export const escapePointer = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')

/** The names that a JSON pointer is made of. */
export const partsOfPointer = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
