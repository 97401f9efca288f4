import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto'

/**
 * A token is authentic and opaque: an HMAC-SHA-256 of its content, cut to 16 octets, and behind it the
 * content in AES-256-CTR with that HMAC as the first counter (the construction of RFC 5297). There is
 * no nonce in it, so that the same content always makes the same token.
 *
 * @param keys of 64 octets; the first one makes, all of them read
 */
export function createTokenBox(keys: Buffer[]) {
  const pairs = keys.map((key) => ({ mac: key.subarray(0, 32), cipher: key.subarray(32) }))
  const [newest] = pairs
  if (!newest) throw new Error('A token needs a key.')
  return {
    make(content: Buffer): string {
      const mac = macOf(newest.mac, content)
      const hidden = createCipheriv('aes-256-ctr', newest.cipher, mac).update(content)
      return Buffer.concat([mac, hidden]).toString('base64url')
    },
    /** @returns undefined for everything that was not made with one of these keys */
    read(text: string): Buffer | undefined {
      const octets = decode(text)
      if (!octets) return
      const mac = octets.subarray(0, macOctets)
      for (const key of pairs) {
        const cipher = createDecipheriv('aes-256-ctr', key.cipher, mac)
        const content = cipher.update(octets.subarray(macOctets))
        if (timingSafeEqual(macOf(key.mac, content), mac)) return content
      }
      return undefined
    },
  }
}

const macOctets = 16
const charactersMax = 4000

/** As text on the way: a buffer of its own costs as much as the hashing. */
const macOf = (key: Buffer, content: Buffer) =>
  Buffer.from(createHmac('sha256', key).update(content).digest('hex'), 'hex').subarray(0, macOctets)

/** One spelling for each token: no padding, no stray bits, nothing else. */
function decode(text: string): Buffer | undefined {
  if (text.length > charactersMax || !/^[\w-]+$/.test(text)) return
  const octets = Buffer.from(text, 'base64url')
  if (octets.length < macOctets) return
  return octets.toString('base64url') === text ? octets : undefined
}
