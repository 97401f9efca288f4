import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLinkTokenBox, type Token } from './token.ts'

const [key, otherKey] = [randomBytes(64), randomBytes(64)]
const box = createLinkTokenBox([key])

const token: Token = {
  kind: 'click',
  workspaceId: '019a9d5e-0000-7c31-9d0a-5e1f6a2b3c4d',
  leadId: '019a9d5e-1111-7c31-9d0a-5e1f6a2b3c4d',
  stepId: '019a9d5e-2222-7c31-9d0a-5e1f6a2b3c4d',
  text: 'https://example.com/?a=1&b=ü',
}

test('a token says what it was made with', () => {
  const tokens = fc.record({
    kind: fc.constantFrom('unsubscribe', 'open', 'click'),
    workspaceId: fc.uuid(),
    leadId: fc.uuid(),
    stepId: fc.uuid(),
    text: fc.string({ unit: 'grapheme', maxLength: 300 }),
  })
  fc.assert(
    fc.property(tokens, (each) => {
      expect(box.read(box.make(each as Token))).toEqual(each)
    }),
  )
})

test('the same one is made again, and fits in a path', () => {
  expect(box.make(token)).toBe(box.make(token))
  expect(box.make(token)).toMatch(/^[\w-]+$/)
  expect(box.make({ ...token, kind: 'open', text: '' })).toHaveLength(87)
})

test('it tells nothing: neither ids nor addresses, nor that two mails go to the same lead', () => {
  const made = [
    box.make({ ...token, kind: 'unsubscribe', text: 'ann@example.com' }),
    box.make({ ...token, kind: 'unsubscribe', text: 'ann@example.con' }),
  ]
  const [one, two] = made.map((each) => Buffer.from(each, 'base64url'))
  for (const octets of [one, two]) {
    expect(octets?.includes('ann@')).toBe(false)
    expect(octets?.includes(Buffer.from(token.leadId.replaceAll('-', ''), 'hex'))).toBe(false)
  }
  const alike = one?.filter((octet, index) => octet === two?.[index]).length ?? 0
  expect(alike).toBeLessThan(10)
})

test('no changed octet, no cut and no addition goes unnoticed', () => {
  const made = box.make(token)
  const octets = Buffer.from(made, 'base64url')
  for (let at = 0; at < octets.length; at++) {
    for (let bit = 0; bit < 8; bit++) {
      const changed = Buffer.from(octets)
      changed[at] = (changed[at] ?? 0) ^ (1 << bit)
      expect(box.read(changed.toString('base64url'))).toBeUndefined()
    }
    expect(box.read(octets.subarray(0, at).toString('base64url'))).toBeUndefined()
  }
  expect(box.read(`${made}A`)).toBeUndefined()
  expect(box.read(`${made}AAAA`)).toBeUndefined()
})

test.each([
  ['', 'nothing'],
  ['%', 'no base64'],
  ['A'.repeat(87), 'zeros'],
  ['A'.repeat(5000), 'a long one'],
  [`${box.make(token)}=`, 'padding'],
  [box.make(token).replace(/^(.)/, ' $1'), 'white space'],
])('%.20s is no token: %s', (text) => {
  expect(box.read(text)).toBeUndefined()
})

test('any text is no token', () => {
  fc.assert(
    fc.property(fc.base64String(), (text) => {
      expect(box.read(text)).toBeUndefined()
    }),
  )
})

test('a new key makes, the old one still reads; without it its tokens are none', () => {
  const made = box.make(token)
  const rotated = createLinkTokenBox([otherKey, key])
  expect(rotated.read(made)).toEqual(token)
  expect(rotated.make(token)).toBe(createLinkTokenBox([otherKey]).make(token))
  expect(createLinkTokenBox([otherKey]).read(made)).toBeUndefined()
})
