import { runInThisContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { share } from '../../../test/thoroughness.ts'
import { parseJsonText } from './parse-json-text.ts'
import { canonicalJson, depthMax, JsonError, parseJson } from './strict-json.ts'

const parse = (text: string) => parseJson(Buffer.from(text))
/** JSON is a part of JavaScript (ECMAScript 2019), whose parser knows nothing of JSON.parse's faults. */
const evaluate = (text: string): unknown => runInThisContext(`(${text})`)
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

function reasonOf(body: string | Buffer): string {
  try {
    parseJson(Buffer.from(body as string))
  } catch (error) {
    if (error instanceof JsonError) return error.message
    throw error
  }
  return 'accepted'
}

describe('a body that breaks a rule is refused with its place and without its content', () => {
  test.each<[string, string | Buffer, RegExp]>([
    ['nothing', '', /empty/],
    ['blanks only', ' \n ', /empty: JSON expected at line 2, column 2\./],
    ['a bad byte', Buffer.from([0x22, 0xff, 0x22]), /UTF-8/],
    ['a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), /UTF-8/],
    ['an overlong NUL', Buffer.from([0x22, 0xc0, 0x80, 0x22]), /UTF-8/],
    ['UTF-16', Buffer.from('{"a":1}', 'utf16le'), /key expected at line 1, column 2/],
    ['a byte order mark', '\uFEFF{}', /byte order mark/],
    ['a missing value', '{"a":}', /value expected at line 1, column 6/],
    ['a bare word', '{"a":secret}', /value expected/],
    ['a trailing comma in an object', '{"a":1,}', /quoted key expected at line 1, column 8/],
    ['a trailing comma in an array', '[1,]', /value expected/],
    ['single quotes', "{'a':1}", /quoted key expected/],
    ['a missing colon', '{"a" 1}', /colon expected/],
    ['a missing comma', '{"a":1 "b":2}', /comma or \} expected/],
    ['an open array', '[1', /comma or \] expected/],
    ['an open string', '{"a":"x', /string without end at line 1, column 6/],
    ['a raw line break in a string', '"a\nb"', /control character/],
    ['an unknown escape', '"\\x41"', /unknown escape/],
    ['a short escape', '"\\u12"', /unknown escape/],
    ['more after the end', '{}\n{}', /end of the body expected at line 2, column 1/],
    ['a leading zero', '01', /end of the body/],
    ['a plus sign', '+1', /value expected/],
    ['NaN', 'NaN', /value expected/],
    ['a comment', '{} // x', /end of the body/],
    ['a number too large', '{"a":1e999}', /too large for a double at line 1, column 6/],
    ['a negative number too large', '[-1e999]', /too large/],
    ['a repeated key', '{"a":1,"b":{"a":2},"a":3}', /repeated in the same object at line 1/],
    ['a key repeated by an escape', '{"a":1,"\\u0061":2}', /repeated/],
    ['a repeated key that drops colons', '{"a":"x:y","a":":"}', /repeated/],
    ['a repeated key beside an escaped colon', '{"a":1,"a":"\\u003A"}', /repeated/],
    ['a repeated empty key', '{"":1,"":1}', /repeated/],
    ['a repeated index', '{"0":1,"0":1}', /repeated/],
    ['__proto__', '{"a":[{"__proto__":null}]}', /__proto__ is not allowed at line 1, column 8/],
    ['__proto__ by an escape', '{"\\u005f_proto__":1}', /__proto__/],
    ['NUL', '{"a":"b\\u0000"}', /NUL/],
    ['NUL in a key', '{"b\\u0000":1}', /NUL/],
    ['a lone high surrogate', '["\\ud83d"]', /surrogate/],
    ['a lone low surrogate', '["\\uDE00"]', /surrogate/],
    ['surrogates in the wrong order', '["\\ude00\\ud83d"]', /surrogate/],
    ['an escaped half before a raw pair', '["\\ud83d😀"]', /surrogate/],
    ['a lone surrogate in a key', '{"\\ud800":1}', /surrogate/],
    ['nesting over the limit', nested(depthMax + 1), /deeper than 32 levels at line 1, column 33/],
    ['nesting that would end a recursion', nested(500_000), /deeper than 32/],
    ['nesting without an end', '[{"a":'.repeat(100_000), /deeper than 32/],
  ])('%s', (_, body, reason) => {
    expect(reasonOf(body)).toMatch(reason)
    expect(reasonOf(body)).not.toMatch(/secret|x:y/)
  })
})

describe('what JSON allows is accepted', () => {
  test.each([
    ['{"a":1,"b":{"a":1}}'],
    ['[{"a":1},{"a":1}]'],
    ['{"constructor":1,"toString":2,"":3}'],
    ['"\\\\u0000 \\\\ud800 \\\\u003a"'],
    ['{"\\u003a":"\\u003A:"}'],
    ['"\\ud83d\\ude00 \\u00e9"'],
    ['[0,-0,1e308,5e-324,1e-999,12345678901234567890]'],
    [' \t\r\n[true , false,null ] \n'],
    ['"\u007f\u2028\uFEFF"'],
    [nested(depthMax)],
  ])('%s', (text) => {
    expect(parse(text)).toEqual(evaluate(text))
  })
})

describe('a key that is written with an escape is read as itself, whatever was read before', () => {
  test.each<[before: string, text: string]>([
    ['{"a":0,"\\\\":1}', '{"a":0,"\\u0062":1}'],
    ['{"a":0,"\\\\":1}', '{"a":0,"\\n":1}'],
    ['{"c":0,"\\\\u":1}', '{"c":0,"\\u0061\\u0062":1}'],
    ['{"d":[":"],"x\\\\u0":"\\""}', '{"d":[":"],"x\\u0061yz" :"\\""}'],
    ['{"e":{"\\\\n":1},"z\\\\\\"":1}', '{"e":{"\\\\n":1},"z\\"q":1}'],
  ])('%s, then %s', (before, text) => {
    for (const read of [parse, parseJsonText]) {
      expect(read(before)).toEqual(evaluate(before))
      expect(read(text)).toEqual(evaluate(text))
    }
  })
})

type Tree = string | number | boolean | null | Tree[] | { members: [string, Tree][] }

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\0', ':', '\ud800', '__proto__', '"', '\\'),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(null, true, false),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.record({
      members: fc.array(
        fc.tuple(
          fc.oneof(fc.constantFrom('a', 'b', ':', '__proto__', '\0'), fc.string()),
          tie('tree'),
        ),
        { maxLength: 4 },
      ),
    }),
  ),
}))

/** Escapes as some clients do: all of it, or only what is not ASCII. */
const quote = (text: string, all: boolean) =>
  `"${Array.from({ length: text.length }, (_, i) => {
    const code = text.charCodeAt(i)
    return all || code < 0x20 || code > 0x7e || code === 0x22 || code === 0x5c
      ? `\\u${code.toString(16).padStart(4, '0')}`
      : text[i]
  }).join('')}"`

function write(value: Tree, all: boolean): string {
  if (typeof value === 'string') return quote(value, all)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((item) => write(item, all)).join(', ')}]`
  return `{${value.members.map(([k, v]) => `${quote(k, all)} : ${write(v, all)}`).join(',')}}`
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const isSafeText = (text: string) => text.isWellFormed() && !text.includes('\0')

function isAllowed(value: Tree): boolean {
  if (typeof value === 'string') return isSafeText(value)
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isAllowed)
  const keys = value.members.map(([key]) => key)
  return (
    new Set(keys).size === keys.length &&
    !keys.includes('__proto__') &&
    value.members.every(([key, member]) => isSafeText(key) && isAllowed(member))
  )
}

test('a text is accepted exactly when no member, key or string of it breaks a rule', () => {
  fc.assert(
    fc.property(tree, fc.boolean(), (value, all) => {
      const text = write(value, all)
      if (isAllowed(value)) expect(parse(text)).toEqual(evaluate(text))
      else expect(reasonOf(text)).toMatch(/ at line 1, column \d+\.$/)
    }),
    { numRuns: share(2000) },
  )
})

/** What `write` has written, without a parser. */
function contentOf(value: Tree): unknown {
  if (typeof value === 'number') return value + 0 // -0 is written without its sign.
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(contentOf)
  return Object.fromEntries(value.members.map(([key, member]) => [key, contentOf(member)]))
}

test('a text that is no body is read whatever its members are called', () => {
  fc.assert(
    fc.property(tree, fc.boolean(), (value, all) => {
      expect(parseJsonText(write(value, all))).toStrictEqual(contentOf(value))
    }),
    { numRuns: share(2000) },
  )
})

test('a broken text is refused exactly when JSON.parse refuses it, always with a place', () => {
  const broken = fc
    .tuple(tree.filter(isAllowed), fc.nat(), fc.constantFrom('', '"', ',', '}', '[', '0', ' ', 'e'))
    .map(([value, at, text]) => {
      const whole = write(value, false)
      const place = at % (whole.length + 1)
      return whole.slice(0, place) + text + whole.slice(place + 1)
    })
  fc.assert(
    fc.property(broken, (text) => {
      const reason = reasonOf(text)
      if (!isJson(text)) {
        expect(reason).toMatch(/ at line \d+, column \d+\.$/)
        return
      }
      // What breaks one of our own rules only is no matter of this test.
      if (reason === 'accepted') expect(parse(text)).toEqual(evaluate(text))
      else expect(reason).not.toMatch(/Not valid JSON/)
    }),
    { numRuns: share(2000) },
  )
})

test('equal values have one canonical text, whatever the order of their members', () => {
  expect(canonicalJson({ b: [1, { d: null, c: 'é' }], a: -0, '10': true, '9': undefined })).toBe(
    '{"10":true,"a":0,"b":[1,{"c":"é","d":null}]}',
  )
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value)
      expect(canonicalJson(JSON.parse(text))).toBe(text)
      expect(canonicalJson(reversed(value))).toBe(text)
    }),
  )
})

function reversed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(reversed)
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  )
}

test('a text that is measured in parts is read as one that is measured at once', () => {
  for (const first of ['', 'x']) {
    // Of the escapes one lies across the end of each part.
    const value = {
      list: [`${first}${'"\\'.repeat(1_200_000)}`, ' '.repeat(3_000_000), 1],
      last: 'x',
    }
    expect(parse(JSON.stringify(value))).toEqual(value)
    const repeated = `${JSON.stringify(value).slice(0, -1)},"last":2}`
    expect(reasonOf(repeated)).toMatch(/repeated/)
  }
})
