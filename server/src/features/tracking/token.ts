import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto'
import { uuidOfHex } from '../../kernel/ids.ts'

const kinds = ['unsubscribe', 'open', 'click'] as const
export type TokenKind = (typeof kinds)[number]

export interface Token {
  kind: TokenKind
  workspaceId: string
  leadId: string
  stepId: string
  /** The address of `unsubscribe`, folded; the URL of `click`. */
  text: string
}

/** Makes the tokens of links, and reads those that it made. */
export interface TokenBox {
  make: (token: Token) => string
  /** Undefined for everything that was not made with one of its keys. */
  read: (text: string) => Token | undefined
}

/**
 * A token is authentic and opaque: an HMAC-SHA-256 of its content, cut to 16 octets, and behind it the
 * content in AES-256-CTR with that HMAC as the first counter (the construction of RFC 5297). There is
 * no nonce in it, so that the same mail always carries the same links.
 *
 * @param keys of 64 octets; the first one makes, all of them read
 */
export function createTokenBox(keys: Buffer[]): TokenBox {
  const pairs = keys.map((key) => ({ mac: key.subarray(0, 32), cipher: key.subarray(32) }))
  const [newest] = pairs
  if (!newest) throw new Error('A token needs a key.')
  return {
    make(token) {
      const content = toOctets(token)
      const mac = macOf(newest.mac, content)
      const hidden = createCipheriv('aes-256-ctr', newest.cipher, mac).update(content)
      return Buffer.concat([mac, hidden]).toString('base64url')
    },
    read(text) {
      const octets = decode(text)
      if (!octets) return
      const mac = octets.subarray(0, macOctets)
      for (const key of pairs) {
        const cipher = createDecipheriv('aes-256-ctr', key.cipher, mac)
        const content = cipher.update(octets.subarray(macOctets))
        if (timingSafeEqual(macOf(key.mac, content), mac)) return fromOctets(content)
      }
      return undefined
    },
  }
}

const macOctets = 16
const idOctets = 16
const headOctets = 1 + 3 * idOctets
const charactersMax = 4000

/** As text on the way: a buffer of its own costs as much as the hashing. */
const macOf = (key: Buffer, content: Buffer) =>
  Buffer.from(createHmac('sha256', key).update(content).digest('hex'), 'hex').subarray(0, macOctets)

/** One spelling for each token: no padding, no stray bits, nothing else. */
function decode(text: string): Buffer | undefined {
  if (text.length > charactersMax || !/^[\w-]+$/.test(text)) return
  const octets = Buffer.from(text, 'base64url')
  if (octets.length < macOctets + headOctets) return
  return octets.toString('base64url') === text ? octets : undefined
}

function toOctets({ kind, workspaceId, leadId, stepId, text }: Token): Buffer {
  const ids = (workspaceId + leadId + stepId).replaceAll('-', '')
  const octets = Buffer.allocUnsafe(headOctets + Buffer.byteLength(text))
  octets[0] = kinds.indexOf(kind)
  if (octets.write(ids, 1, 'hex') !== 3 * idOctets) throw new Error('A token holds UUIDs.')
  octets.write(text, headOctets)
  return octets
}

function fromOctets(octets: Buffer): Token | undefined {
  const kind = kinds[octets[0] ?? -1]
  if (!kind) return
  const [workspaceId = '', leadId = '', stepId = ''] = [0, 1, 2].map((index) =>
    uuidOfHex(octets.toString('hex', 1 + index * idOctets, 1 + (index + 1) * idOctets)),
  )
  return { kind, workspaceId, leadId, stepId, text: octets.toString('utf8', headOctets) }
}
