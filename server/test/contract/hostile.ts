/** Stands in every text that a request sends: an error that holds it has quoted the caller's data. */
export const marker = 'q7zmark'

/** JSON that no value of JavaScript stringifies to. */
class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Like JSON.stringify, with raw pieces as they are. A list of members may repeat a key. */
export function toJson(value: unknown): string {
  if (value instanceof RawJson) return value.text
  if (Array.isArray(value)) return `[${value.map(toJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}:${toJson(member)}`,
  )
  return `{${members.join(',')}}`
}

const nested = (depth: number) => new RawJson(`${'['.repeat(depth)}1${']'.repeat(depth)}`)
const list = (length: number, item: string) =>
  new RawJson(`[${Array(length).fill(item).join(',')}]`)

/** Texts that have broken parsers, databases, searches and pages before. */
export const hostileTexts = [
  '',
  ' ',
  marker,
  `${marker}@example.com`,
  `"${marker}"`,
  `'; drop table leads; -- ${marker}`,
  `\\' or 1=1 -- ${marker}`,
  `${marker} & | ! <-> :* ( )`,
  '%',
  '_%_\\',
  '$1',
  '{{ constructor }}',
  `{{ "${marker}" | filter_nobody_knows }}`,
  `{% if ${marker}`,
  `{a|${marker}|{b`,
  '<script>alert(1)</script>',
  '../../etc/passwd',
  'http://[::1',
  'http://user:secret@example.com/#x',
  'http://169.254.169.254/latest',
  'file:///etc/passwd',
  '👩‍👩‍👧‍👦',
  `مرحبا ${marker}`,
  '\u202Eevil\u202C',
  'e\u0301\u0301\u0301',
  'İIıß',
  '\uFEFF\u200B\u2028',
  'nul\0byte',
  '\u0001\u001f\u007f\u0085',
  'null',
  'true',
  '-0',
  '1e309',
  '0x10',
  '2026-02-30T25:61:61Z',
  '2026-02-30',
  '99999-01-01',
  '-000001-01-01T00:00:00Z',
  '00000000-0000-0000-0000-000000000000',
  'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
  'urn:uuid:019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d',
  `a@${'b'.repeat(250)}.example`,
  `${marker}@bücher.example`,
  '"a b"@example.com',
  'a'.repeat(256),
  'ß'.repeat(1001),
  '😀'.repeat(5000),
  'x'.repeat(100_000),
]

/** What stands in the place of a value of another kind. */
export const hostileValues: unknown[] = [
  ...hostileTexts,
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53 + 2,
  -(2 ** 63),
  1e300,
  {},
  [],
  [null],
  [[]],
  { a: { b: { c: marker } } },
  { length: 1e9 },
  { toString: 1, valueOf: 2, constructor: 3, hasOwnProperty: 4 },
  new RawJson('-0.0'),
  new RawJson('1e999'),
  new RawJson('123456789012345678901234567890'),
  new RawJson('"\\u0000"'),
  new RawJson('"\\ud800"'),
  new RawJson('"\\udc00\\ud800"'),
  new RawJson('"\\u00"'),
  new RawJson('"a\nb"'),
  new RawJson('NaN'),
  new RawJson('undefined'),
  new RawJson("'a'"),
  new RawJson('[1,]'),
  new RawJson('{"a":1,"a":2}'),
  new RawJson('{"__proto__":{"x":1}}'),
  new RawJson('{"constructor":{"prototype":{"x":1}}}'),
  nested(31),
  nested(33),
  nested(5000),
  list(1001, '{}'),
  list(10_000, 'null'),
  list(10_000, '"a"'),
  list(10_000, '{"email":"a@b.example"}'),
]

/** Names of fields that nobody defined. */
export const hostileNames = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'id',
  'workspace_id',
  '',
  ' name',
  'a/b~c',
  'a.b',
  '$ref',
  'ключ',
  'x'.repeat(300),
]

/** Text of a path or a query as it is on the wire. */
export const hostileEncoded = [
  '%00',
  'a%00b',
  '%00%00',
  '%zz',
  '%',
  '%ff%fe',
  '%ed%a0%80',
  '%F0%9F%98%80',
  '..%2f..%2f',
  '+',
  '%20',
  '%2B',
  "'%20or%201=1",
  `${marker}`,
  'a'.repeat(400),
]

export const hostileHeaders: Record<string, string>[] = [
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json; charset=latin1' },
  { 'content-type': 'application/json;charset=UTF-8' },
  { 'content-type': 'application/xml' },
  { 'content-encoding': 'gzip' },
  { 'idempotency-key': '' },
  { 'idempotency-key': `"${marker}"` },
  { 'idempotency-key': `${marker} "` },
  { 'idempotency-key': 'x'.repeat(255) },
  { 'idempotency-key': 'x'.repeat(256) },
  { 'idempotency-key': 'é' },
  { 'x-workspace-id': '' },
  { 'x-workspace-id': marker },
  { 'x-request-id': 'a'.repeat(129) },
  { 'x-request-id': '"><script>' },
  { accept: 'text/html' },
  { 'x-http-method-override': 'DELETE' },
  { authorization: 'Bearer' },
]
