import { createCipheriv, hash } from 'node:crypto'

// What `createHmac` and `createCipheriv` do, for many short contents of one key: making an object of
// each of them for every content costs more than all of the rest.

const blockOctets = 16
const hashBlockOctets = 64

/** HMAC-SHA-256 (RFC 2104) with a key of at most 64 octets. */
export function createMac(key: Buffer): (content: Buffer) => Buffer {
  const padded = (filling: number) =>
    Buffer.alloc(hashBlockOctets)
      .fill(key, 0, key.length)
      .map((octet) => octet ^ filling)
  const [inner, outer] = [padded(0x36), padded(0x5c)]
  return (content) => {
    const within = Buffer.from(hash('sha256', Buffer.concat([inner, content]), 'hex'), 'hex')
    return Buffer.from(hash('sha256', Buffer.concat([outer, within]), 'hex'), 'hex')
  }
}

/** AES-256 in counter mode (NIST SP 800-38A §6.5): it hides, and hidden again it shows. */
export function createCounterMode(key: Buffer): (content: Buffer, counter: Buffer) => Buffer {
  const blocks = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
  return (content, counter) => {
    const counters = Buffer.allocUnsafe(Math.ceil(content.length / blockOctets) * blockOctets)
    for (let at = 0; at < counters.length; at += blockOctets) {
      counter.copy(counters, at)
      addTo(counters, at, at / blockOctets)
    }
    const stream = blocks.update(counters).subarray(0, content.length)
    for (let at = 0; at < content.length; at++)
      stream[at] = (stream[at] as number) ^ (content[at] as number)
    return stream
  }
}

/** To the number of one block that stands here, its last octet the lowest. */
function addTo(octets: Buffer, from: number, number: number) {
  let carry = number
  for (let at = from + blockOctets - 1; carry > 0 && at >= from; at--) {
    carry += octets[at] as number
    octets[at] = carry
    carry >>= 8
  }
}
