import { randomBytes, scryptSync } from 'node:crypto'
import type { Passwords } from '../src/kernel/context.ts'

/** Kept as the service keeps them, for a thousandth of the processor's time. */
export const quickPasswords: Passwords = {
  hash: async (password) => hashOf(password, randomBytes(16).toString('hex')),
  verify: async ({ hash, password }) => hashOf(password, String(hash.split(':')[0])) === hash,
}

const hashOf = (password: string, salt: string) =>
  `${salt}:${scryptSync(password.normalize('NFKC'), salt, 64, { N: 16, r: 16, p: 1 }).toString('hex')}`
