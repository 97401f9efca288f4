import fc from 'fast-check'
import { expect, test } from 'vitest'
import { share } from '../../../../test/thoroughness.ts'
import { encodeBody } from './body-encoding.ts'

const withCrlf = (text: string) => text.toWellFormed().replaceAll(/\r\n?|\n/g, '\r\n')

/** Written after RFC 2045, and not after ours. */
function decode({ encoding, octets }: ReturnType<typeof encodeBody>): string {
  const text = octets.toString('latin1')
  if (encoding === 'base64') return Buffer.from(text, 'base64').toString()
  const bytes = text
    .replaceAll(/[ \t]+(?=\r\n|$)/g, '')
    .replaceAll('=\r\n', '')
    .replaceAll(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 500 }),
  fc.string({ maxLength: 500 }),
  fc
    .array(fc.constantFrom('\r', '\n', ' ', '\t', '=', 'é', '😀', 'x'.repeat(74), 'x'), {
      maxLength: 200,
    })
    .map((parts) => parts.join('')),
)

test('whatever the text, it comes out again with CRLF at its lines', () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(decode(encodeBody(text))).toBe(withCrlf(text))
    }),
    { numRuns: share(2000) },
  )
})

test('lines have at most 76 octets, all of them ASCII, and none ends in white space', () => {
  fc.assert(
    fc.property(texts, (text) => {
      for (const line of encodeBody(text).octets.toString('latin1').split('\r\n')) {
        expect(line).toMatch(/^[\t\x20-\x7e]{0,76}$/)
        expect(line).not.toMatch(/[ \t]$/)
      }
    }),
    { numRuns: share(2000) },
  )
})

test('no character is cut in two by a line', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (drawn) => {
      // What decoding says of half a character must not be a character of the text.
      const text = drawn.replaceAll('\ufffd', 'x')
      const { encoding, octets } = encodeBody(`${text}${'x'.repeat(400)}`)
      if (encoding === 'base64') return
      for (const line of octets.toString('latin1').split('\r\n')) {
        const bytes = decode({ encoding, octets: Buffer.from(line.replace(/=$/, '')) })
        expect(bytes).not.toContain('\ufffd')
      }
    }),
  )
})

test.each([
  ['English', 'Hello there, how are you? '.repeat(50), 'quoted-printable'],
  ['German', 'Viele herzliche Grüße aus Köln, und bis bald. '.repeat(50), 'quoted-printable'],
  ['Japanese', 'こんにちは、お元気ですか。'.repeat(50), 'base64'],
  ['Russian', 'Здравствуйте, как дела? '.repeat(50), 'base64'],
])('%s takes the shorter encoding', (_language, text, expected) => {
  expect(encodeBody(text).encoding).toBe(expected)
})

test('a long text after a short one is whole', () => {
  encodeBody('short')
  const long = 'é='.repeat(100_000)
  expect(decode(encodeBody(long))).toBe(long)
})
