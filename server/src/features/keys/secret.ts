import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { sha256 } from '../../kernel/crypto.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 43 // 62^43 > 2^256
const checksumLength = 6 // 62^6 > 2^32
const form = new RegExp(`^ork_[0-9A-Za-z]{${randomLength + checksumLength}}$`)

/** `ork_` + 256 bits + CRC-32, all base62: a secret scanner knows it, a typo is refused unread. */
export function createSecret(): string {
  const random = Array.from({ length: randomLength }, () => alphabet[randomInt(62)]).join('')
  return `ork_${random}${checksumOf(random)}`
}

export function isWellFormed(secret: string): boolean {
  if (!form.test(secret)) return false
  const random = secret.slice(4, 4 + randomLength)
  return secret.slice(4 + randomLength) === checksumOf(random)
}

export const hashSecret = (secret: string) => sha256(secret)

/** Safe to show: says which key it is without being one. */
export const prefixOf = (secret: string) => secret.slice(0, 'ork_'.length + 8)

function checksumOf(random: string): string {
  let rest = crc32(random)
  let text = ''
  for (let i = 0; i < checksumLength; i++) {
    text = alphabet[rest % 62] + text
    rest = Math.floor(rest / 62)
  }
  return text
}
