import { expect, test } from 'vitest'
import { problemWithUrl } from './target.ts'

test.each([
  'https://example.com',
  'http://localhost:4000/hooks',
  'HTTPS://Example.COM/Path?query=1&b=%20',
  'https://bücher.example/ä',
  'https://[2001:db8::1]:8443/',
  'https://example.com/@user',
  'https://example.com/?to=a@b.example',
  `https://example.com/${'a'.repeat(2048 - 20)}`,
])('%s can be a target', (url) => {
  expect(problemWithUrl(url)).toBeUndefined()
})

test.each([
  ['', 'absolute'],
  ['example.com/hooks', 'absolute'],
  ['/hooks', 'absolute'],
  ['ftp://example.com/', 'absolute'],
  ['javascript:alert(1)', 'absolute'],
  ['https:example.com', 'absolute'],
  ['https:///example.com', 'absolute'],
  ['https://', 'absolute'],
  ['https://exa mple.com/', 'absolute'],
  ['https://example.com/a b', 'absolute'],
  ['https://example.com/\n', 'absolute'],
  ['ht\ntps://example.com/', 'absolute'],
  ['https://example.com\\@internal/', 'absolute'],
  ['https://example.com:99999/', 'absolute'],
  ['https://256.1.1.1/', 'absolute'],
  ['https://user:secret@example.com/', 'user name'],
  ['https://user@example.com/', 'user name'],
  ['https://@example.com/', 'user name'],
  ['https://example.com/#part', 'fragment'],
  ['https://example.com/#', 'fragment'],
  [`https://example.com/${'a'.repeat(2048 - 19)}`, '2048'],
])('%s cannot', (url, problem) => {
  expect(problemWithUrl(url)).toContain(problem)
})
