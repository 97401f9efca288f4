/** A name as a part of a JSON pointer: RFC 6901 §3. */
export const escapePointer = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')
