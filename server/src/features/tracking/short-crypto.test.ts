import { createCipheriv, createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCounterMode, createMac } from './short-crypto.ts'

const octets = (minLength: number, maxLength = minLength) =>
  fc.uint8Array({ minLength, maxLength }).map((array) => Buffer.from(array))

test('the authentication is HMAC-SHA-256', () => {
  fc.assert(
    fc.property(octets(32), octets(0, 300), (key, content) => {
      const expected = createHmac('sha256', key).update(content).digest('hex')
      expect(createMac(key)(content).toString('hex')).toBe(expected)
    }),
  )
})

test('the hiding is AES-256-CTR, content after content, also where the counter overflows', () => {
  const counters = fc.oneof(
    octets(16),
    fc.nat(40).map((n) => Buffer.alloc(16, 255).fill(255 - n, 15)),
  )
  const contents = fc.array(fc.tuple(octets(0, 5000), counters), { maxLength: 5 })
  fc.assert(
    fc.property(octets(32), contents, (key, each) => {
      const hide = createCounterMode(key)
      for (const [content, counter] of each) {
        const expected = createCipheriv('aes-256-ctr', key, counter).update(content)
        expect(hide(content, counter).toString('hex')).toBe(expected.toString('hex'))
      }
    }),
  )
})
