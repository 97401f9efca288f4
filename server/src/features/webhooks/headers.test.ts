import { describe, expect, test } from 'vitest'
import { mask, maskHeaders, mergeHeaders, problemWithHeaders } from './headers.ts'

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`X-${i}`, 'v']))

test.each([
  ['none', {}],
  ['a receiver’s token', { Authorization: 'Bearer abc' }],
  ['an empty value', { 'X-Empty': '' }],
  ['Latin-1', { 'X-City': 'Köln' }],
  ['twenty', many(20)],
  ['a name that only begins like a reserved one', { 'Content-Type-Version': '1', Webhook: '1' }],
])('%s can be sent', (_what, headers) => {
  expect(problemWithHeaders(headers as Record<string, string>)).toBeUndefined()
})

type Refused = [what: string, headers: Record<string, string>, problem: string]

test.each<Refused>([
  ['twenty-one', many(21), 'at most 20'],
  ['a line break', { 'X-A': 'a\r\nX-Injected: b' }, 'headers.X-A'],
  ['a lone LF', { 'X-A': 'a\nb' }, 'headers.X-A'],
  ['NUL', { 'X-A': 'a\u0000' }, 'headers.X-A'],
  ['what Latin-1 cannot hold', { 'X-A': '日本' }, 'headers.X-A'],
  ['a value that only looks masked', { 'X-A': '•••' }, 'headers.X-A'],
  ['a long value', { 'X-A': 'a'.repeat(4097) }, 'headers.X-A'],
  ['an empty name', { '': 'a' }, 'token'],
  ['a name with a space', { 'X A': 'a' }, 'token'],
  ['a name with a colon', { 'X:': 'a' }, 'token'],
  ['a name with a line break', { 'X\r\nY': 'a' }, 'token'],
  ['a long name', { ['a'.repeat(129)]: 'a' }, 'token'],
  ['one name in two cases', { 'X-A': 'a', 'x-a': 'b' }, 'twice'],
  ...[
    'Content-Type',
    'content-length',
    'HOST',
    'Connection',
    'User-Agent',
    'Transfer-Encoding',
    'webhook-id',
    'Webhook-Signature',
    'Webhook-Anything',
    'Proxy-Authorization',
    'Expect',
  ].map((name): Refused => [name, { [name]: 'a' }, name.toLowerCase()]),
])('%s cannot', (_what, headers, problem) => {
  expect(problemWithHeaders(headers)).toContain(problem)
})

describe('a masked value stands for the stored one', () => {
  const stored = { Authorization: 'Bearer abc', 'X-Tenant': '7' }

  test('masking keeps the names only', () => {
    expect(maskHeaders(stored)).toEqual({ Authorization: mask, 'X-Tenant': mask })
  })

  test('what was masked comes back, what is left out goes, what is new is taken', () => {
    expect(mergeHeaders({ authorization: mask, 'X-New': ' 1 ' }, stored)).toEqual({
      authorization: 'Bearer abc',
      'X-New': '1',
    })
  })

  test('of a header that is not stored it stands for nothing', () => {
    expect(mergeHeaders({ 'X-Other': mask }, stored)).toBeUndefined()
  })
})
