import { findJsonFault } from './json-fault.ts'

/**
 * A body is not the strict JSON (RFC 8259, UTF-8) this API takes. `reason` is one sentence with a
 * line and a column, never with content, so it is safe to show.
 */
export class JsonError extends Error {
  override name = 'JsonError'
  readonly reason: string

  constructor(reason: string) {
    super(reason)
    this.reason = reason
  }
}

/** Nested objects and arrays, the outermost counted. */
export const depthMax = 32

/**
 * JSON.parse without its tolerance: refuses invalid UTF-8, a byte order mark, repeated and
 * `__proto__` keys, NUL and lone surrogates (escaped ones too), numbers beyond a double and
 * nesting over `depthMax`.
 *
 * JSON.parse drops what it tolerates, so the value alone cannot tell. But a text has one colon for
 * each member and one for each colon inside its strings: when the value accounts for all of them,
 * no member was dropped. Only a text that fails this count is read again, slowly and exactly.
 */
export function parseJson(buffer: Buffer): unknown {
  const text = decode(buffer)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new JsonError(findJsonFault(text, depthMax) ?? 'The body is not valid JSON.')
  }
  const escaped = text.includes('\\u')
  // An escaped colon would be missing from the text's count.
  const countable = !escaped || !/\\u003a/i.test(text)
  if (countable && colonsOf(value, escaped, 0) === countColons(text)) return value
  const fault = findJsonFault(text, depthMax)
  if (fault) throw new JsonError(fault)
  return value
}

/** One text for equal values: members sorted by UTF-16 code unit, no white space (RFC 8785). */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(',')}}`
}

// ignoreBOM keeps the mark in the text, where it is refused, instead of dropping it.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decode(buffer: Buffer): string {
  try {
    return utf8.decode(buffer)
  } catch {
    throw new JsonError('The body is not valid UTF-8.')
  }
}

function countColons(text: string): number {
  let count = 0
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) count++
  return count
}

/**
 * The colons a text needs for this value; NaN, which equals no count, for what is never allowed.
 * NUL and half a surrogate pair cannot come from valid UTF-8 but by an escape.
 */
function colonsOf(value: unknown, escaped: boolean, depth: number): number {
  if (typeof value === 'string') {
    if (escaped && (!value.isWellFormed() || value.includes('\0'))) return Number.NaN
    return countColons(value)
  }
  if (typeof value === 'number') return Number.isFinite(value) ? 0 : Number.NaN
  if (typeof value !== 'object' || value === null) return 0
  if (depth === depthMax) return Number.NaN
  let colons = 0
  if (Array.isArray(value)) {
    for (const item of value) colons += colonsOf(item, escaped, depth + 1)
    return colons
  }
  for (const key in value) {
    if (key === '__proto__') return Number.NaN
    const member: unknown = value[key as keyof typeof value]
    colons += 1 + colonsOf(key, escaped, depth) + colonsOf(member, escaped, depth + 1)
  }
  return colons
}
