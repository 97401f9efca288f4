/** Headers of the user's own that each delivery to a destination carries. */
export type Headers = Record<string, string>

/** Answers show it in place of stored values; a request that has it keeps the stored value. */
export const mask = '••••'

export const headersMax = 20
export const nameCharactersMax = 128
export const valueCharactersMax = 4096

/** RFC 9110 §5.6.2 and §5.5; CR, LF and NUL would start another header or request. */
export const tokenPattern = "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"
const token = new RegExp(tokenPattern)
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/

// Headers that frame the request, name its receiver or are signed: only Outrider sets them.
const reserved = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
])

/**
 * A sentence that says what is wrong, or undefined. A masked value passes: whether a value is stored
 * for it is checked later.
 */
export function problemWithHeaders(headers: Headers): string | undefined {
  const names = Object.keys(headers)
  if (names.length > headersMax) return `headers must hold at most ${headersMax} headers`
  const wrong = names.find((name) => name.length > nameCharactersMax || !token.test(name))
  if (wrong !== undefined) {
    return `each name in headers must be an HTTP token of 1 to ${nameCharactersMax} characters`
  }
  const folded = names.map((name) => name.toLowerCase())
  const taken = folded.find(isReserved)
  if (taken) return `headers must not hold ${taken}, which the service sets itself`
  if (new Set(folded).size < folded.length) return 'headers must not name the same header twice'
  const [name] = Object.entries(headers).find(([, value]) => !isValue(value)) ?? []
  if (!name) return
  return `headers.${name} must be at most ${valueCharactersMax} Latin-1 characters without line breaks`
}

export const maskHeaders = (headers: Headers): Headers =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, mask]))

/**
 * What replaces the stored headers: a masked value keeps the stored one of that name, in any case.
 *
 * @returns undefined when a masked name is not stored
 */
export function mergeHeaders(given: Headers, stored: Headers): Headers | undefined {
  const known = new Map(Object.entries(stored).map(([name, value]) => [name.toLowerCase(), value]))
  const merged = Object.entries(given).map(([name, value]): [string, string | undefined] => [
    name,
    value === mask ? known.get(name.toLowerCase()) : value.trim(),
  ])
  if (merged.some(([, value]) => value === undefined)) return
  return Object.fromEntries(merged) as Headers
}

/** Names whose stored value is to be kept. */
export const maskedNames = (given: Headers): string[] =>
  Object.keys(given).filter((name) => given[name] === mask)

export const equalHeaders = (a: Headers, b: Headers) =>
  Object.keys(a).length === Object.keys(b).length &&
  Object.entries(a).every(([name, value]) => b[name] === value)

const isReserved = (name: string) =>
  reserved.has(name) || name.startsWith('webhook-') || name.startsWith('proxy-')

const isValue = (value: string) =>
  value === mask || (value.length <= valueCharactersMax && fieldValue.test(value))
