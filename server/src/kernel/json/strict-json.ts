import { nextTurn } from '../next-turn.ts'
import { ExactReader, JsonFault } from './exact-reader.ts'
import { digitsMax, JsonMeter, keysMax, valuesMax } from './json-meter.ts'
import { hasEscapedKey } from './parse-json-text.ts'

/**
 * A body is not the strict JSON (RFC 8259, UTF-8) this API takes. Its message is one sentence with
 * a line and a column, never with content, so it is safe to show.
 */
export class JsonError extends Error {
  override name = 'JsonError'
}

/** Nested objects and arrays, the outermost counted. */
export const depthMax = 32

/**
 * JSON.parse without its tolerance: refuses invalid UTF-8, a byte order mark, repeated and
 * `__proto__` keys, NUL and lone surrogates (escaped ones too), numbers beyond a double, nesting
 * over `depthMax`, and more keys or values than any request needs.
 *
 * JSON.parse drops what it tolerates, so the value alone cannot tell. But a text has one colon
 * outside its strings for each member: when the value has as many, no member was dropped. Only a
 * text that fails this count, or that has keys with escapes (`parseJsonText` says why), is read slowly
 * and exactly.
 */
export function parseJson(buffer: Buffer): unknown {
  const steps = readJson(buffer)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** `parseJson` for texts of megabytes: the event loop turns between its steps. */
export async function parseJsonInTurns(buffer: Buffer): Promise<unknown> {
  const steps = readJson(buffer)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    await nextTurn()
  }
}

/** That are measured in one step. */
const partBytes = 2 * 1024 * 1024

function* readJson(buffer: Buffer): Generator<undefined, unknown> {
  const meter = new JsonMeter(depthMax)
  for (let at = 0; at < buffer.length; ) {
    at = meter.read(buffer, at, Math.min(buffer.length, at + partBytes))
    yield
  }
  const { members, escapes, excess } = meter
  if (excess && excess !== 'depth') throw new JsonError(tooMuch[excess])
  const text = decode(buffer)
  yield
  if (text.startsWith('\uFEFF')) {
    throw new JsonError('The body starts with a byte order mark; send UTF-8 without one.')
  }
  if (excess === undefined && !hasEscapedKey(text)) {
    const value = tryParse(text)
    yield
    if (value !== invalid && membersOf(value, escapes, 0) === members) return value
    yield
  }
  try {
    return yield* new ExactReader(text, { depthMax }).readText()
  } catch (error) {
    throw error instanceof JsonFault ? new JsonError(error.message) : error
  }
}

const invalid = Symbol('not JSON')

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return invalid
  }
}

const tooMuch = {
  keys: `An object in the body has more than ${keysMax} keys.`,
  numbers: `The numbers in the body have more than ${digitsMax.toLocaleString('en-US')} digits.`,
  values: `The body has more than ${valuesMax.toLocaleString('en-US')} values; send it in parts.`,
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

/**
 * The members of all objects in a value; NaN, which equals no count, for what is never allowed.
 * NUL and half a surrogate pair cannot come from valid UTF-8 but by an escape.
 */
function membersOf(value: unknown, escapes: boolean, depth: number): number {
  if (typeof value === 'string') {
    return escapes && (!value.isWellFormed() || value.includes('\0')) ? Number.NaN : 0
  }
  if (typeof value === 'number') return Number.isFinite(value) ? 0 : Number.NaN
  if (typeof value !== 'object' || value === null) return 0
  if (depth === depthMax) return Number.NaN
  let members = 0
  if (Array.isArray(value)) {
    for (const item of value) members += membersOf(item, escapes, depth + 1)
    return members
  }
  for (const key in value) {
    if (key === '__proto__') return Number.NaN
    const member: unknown = value[key as keyof typeof value]
    members += 1 + membersOf(key, escapes, depth) + membersOf(member, escapes, depth + 1)
  }
  return members
}
