import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { createSecret, problemWithSecret, secretBytes } from './signing-secret.ts'

const ofBytes = (count: number) => `whsec_${randomBytes(count).toString('base64')}`

test('a secret that is made is a good one, and no other is like it', () => {
  const secrets = Array.from({ length: 50 }, createSecret)
  expect(new Set(secrets).size).toBe(50)
  expect(secrets.map(problemWithSecret)).toEqual(secrets.map(() => undefined))
  expect(secrets.map((secret) => secretBytes(secret).length)).toEqual(secrets.map(() => 32))
})

test("a receiver's library reads it", () => {
  expect(() => new Webhook(createSecret())).not.toThrow()
})

test.each([24, 32, 64])('one of %i bytes can be brought along', (count) => {
  expect(problemWithSecret(ofBytes(count))).toBeUndefined()
})

test.each([
  ['too short', ofBytes(23)],
  ['too long', ofBytes(65)],
  ['without its prefix', randomBytes(32).toString('base64')],
  ['with another prefix', ofBytes(32).replace('whsec_', 'whsek_')],
  ['cut by one character', ofBytes(32).slice(0, -1)],
  ['in the URL alphabet', `whsec_${Buffer.alloc(32, 0xff).toString('base64url')}=`],
  ['with a space in it', ofBytes(32).replace('whsec_', 'whsec_ ')],
  ['empty', ''],
])('one that is %s cannot', (_what, secret) => {
  expect(problemWithSecret(secret)).toContain('base64')
  expect(problemWithSecret(secret)).not.toContain(secret.slice(10) || 'nothing')
})
