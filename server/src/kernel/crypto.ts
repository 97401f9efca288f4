import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto'

/** Secrets at rest. `purpose` binds a value to its place: moved to another row it does not open. */
export interface SecretBox {
  /** Names the key in use; it is stored in front of every value. */
  keyId: string
  /** Ids of all keys that open, the one that seals first. */
  keyIds: string[]
  seal: (text: string, purpose: string) => Buffer
  open: (sealed: Buffer, purpose: string) => string
  /** Keys for another use, one of each secret key, that tell nothing about it (RFC 5869). */
  derive: (label: string, octets: number) => Buffer[]
}

export const sha256 = (text: string | Buffer) => hash('sha256', text, 'buffer')

/**
 * AES-256-GCM. The first key seals; the others still open what they sealed, so that a key can be
 * rotated. Layout: version (1), key id (4), nonce (12), tag (16), ciphertext.
 */
export function createSecretBox(keys: Buffer[]): SecretBox {
  const byId = new Map(keys.map((key) => [keyIdOf(key), key]))
  const [sealing] = keys
  if (!sealing || keys.some((key) => key.length !== 32)) {
    throw new Error(
      'OUTRIDER_SECRET_KEY must be 32 bytes in base64 (several: newest first, commas).',
    )
  }
  const keyId = keyIdOf(sealing)
  return {
    keyId,
    keyIds: [...byId.keys()],
    seal(text, purpose) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', sealing, nonce).setAAD(Buffer.from(purpose))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([version, Buffer.from(keyId, 'hex'), nonce, cipher.getAuthTag(), body])
    },
    open(sealed, purpose) {
      const id = sealed.subarray(1, 5).toString('hex')
      const key = byId.get(id)
      if (sealed[0] !== 1 || !key) {
        const message = `A stored secret was sealed with key ${id}, which OUTRIDER_SECRET_KEY lacks.`
        throw Object.assign(new Error(message), { code: 'secret_key_missing' })
      }
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(5, 17))
      decipher.setAAD(Buffer.from(purpose)).setAuthTag(sealed.subarray(17, 33))
      return decipher.update(sealed.subarray(33), undefined, 'utf8') + decipher.final('utf8')
    },
    derive: (label, octets) =>
      keys.map((key) => Buffer.from(hkdfSync('sha256', key, '', label, octets))),
  }
}

const version = Buffer.from([1])
const keyIdOf = (key: Buffer) => sha256(key).subarray(0, 4).toString('hex')
