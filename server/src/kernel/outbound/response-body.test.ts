import { Readable } from 'node:stream'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, test, vi } from 'vitest'
import { createDecoder, textOf } from './response-body.ts'

test.each<[what: string, body: Buffer, text: string | null]>([
  ['nothing', Buffer.alloc(0), null],
  ['text', Buffer.from('grüße 👋'), 'grüße 👋'],
  ['1,024 bytes', Buffer.alloc(1024, 'a'), 'a'.repeat(1024)],
  ['more', Buffer.alloc(2000, 'a'), 'a'.repeat(1024)],
  ['a character of 2 bytes on the edge', Buffer.from(`${'a'.repeat(1023)}é`), 'a'.repeat(1023)],
  ['a character of 3 bytes on the edge', Buffer.from(`${'a'.repeat(1022)}€`), 'a'.repeat(1022)],
  ['a character of 4 bytes on the edge', Buffer.from(`${'a'.repeat(1021)}👋`), 'a'.repeat(1021)],
  ['one of 2 bytes that just fits', Buffer.from(`${'a'.repeat(1022)}é`), `${'a'.repeat(1022)}é`],
  ['one of 3 bytes that just fits', Buffer.from(`${'a'.repeat(1021)}€`), `${'a'.repeat(1021)}€`],
  ['one of 4 bytes that just fits', Buffer.from(`${'a'.repeat(1020)}👋`), `${'a'.repeat(1020)}👋`],
  ['NUL', Buffer.from('a\0b'), null],
  ['a lone surrogate', Buffer.from([0x61, 0xed, 0xa0, 0x80, 0x61]), null],
  ['Latin-1', Buffer.from('gr\xfc\xdfe', 'latin1'), null],
  ['an image', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), null],
  ['only the start of a character', Buffer.from([0xf0, 0x9f]), null],
])('the text of %s', (_what, body, text) => {
  expect(textOf(body)).toBe(text)
})

const decode = createDecoder()
const text = 'thanks, '.repeat(100)

test.each<[encoding: string, body: Buffer]>([
  ['gzip', gzipSync(text)],
  [' X-GZIP ', gzipSync(text)],
  ['deflate', deflateSync(text)],
  ['deflate', deflateRawSync(text)],
  ['br', brotliCompressSync(text)],
])('decodes %s', async (encoding, body) => {
  expect(await decode(encoding, body)).toBe(text)
})

test.each<[encoding: string, compress: (body: Buffer) => Buffer]>([
  ['gzip', (body) => gzipSync(body)],
  ['deflate', (body) => deflateRawSync(body)],
  ['br', (body) => brotliCompressSync(body)],
])('shows what came before a %s body breaks off', async (encoding, compress) => {
  const body = Buffer.from(Array.from({ length: 900 }, (_, at) => 33 + ((at * at * 7) % 90)))
  const compressed = compress(body)
  const shown = await decode(encoding, compressed.subarray(0, compressed.length - 9))
  expect(shown).not.toBeNull()
  expect(body.toString().startsWith(shown ?? '?')).toBe(true)
})

test.each<[encoding: string, body: Buffer]>([
  ['gzip', Buffer.from('not gzip at all')],
  ['gzip', Buffer.alloc(0)],
  ['gzip', gzipSync(Buffer.alloc(10))],
  ['zstd', Buffer.from('x')],
  ['gzip, br', gzipSync('x')],
])('%s that cannot be shown is null', async (encoding, body) => {
  expect(await decode(encoding, body)).toBeNull()
})

test('a body that cannot even be begun is null, and the next one is decoded', async () => {
  const decode = createDecoder()
  const broken = undefined as unknown as Buffer
  expect(await decode('gzip', broken)).toBeNull()
  expect(await decode('gzip', gzipSync(text))).toBe(text)
})

test.each<[encoding: string, compress: (body: Buffer) => Buffer]>([
  ['gzip', (body) => gzipSync(body)],
  ['deflate', (body) => deflateSync(body)],
  ['br', (body) => brotliCompressSync(body, { params: { 1: 4 } })],
])('a %s bomb is not expanded', async (encoding, compress) => {
  const bomb = compress(Buffer.alloc(64 * 1024 * 1024, 'a'))
  const push = vi.spyOn(Readable.prototype, 'push')
  expect(await decode(encoding, bomb)).toBe('a'.repeat(1024))
  const expanded = push.mock.calls.reduce((sum, [chunk]) => sum + (chunk?.length ?? 0), 0)
  push.mockRestore()
  expect(expanded).toBeGreaterThanOrEqual(1024)
  expect(expanded).toBeLessThan(64 * 1024)
})
