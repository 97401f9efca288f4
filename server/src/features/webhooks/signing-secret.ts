import { randomBytes } from 'node:crypto'

/** Standard Webhooks 1.0: `whsec_` and the base64 of 24 to 64 bytes. */
const prefix = 'whsec_'
const bytesMin = 24
const bytesMax = 64
const bytesMade = 32

export const createSecret = () => prefix + randomBytes(bytesMade).toString('base64')

/** A sentence that says what is wrong, or undefined. It never quotes the secret. */
export function problemWithSecret(secret: string): string | undefined {
  const bytes = secretBytes(secret)
  const exact = secret === prefix + bytes.toString('base64')
  if (exact && bytes.length >= bytesMin && bytes.length <= bytesMax) return
  return `signing_secret must be ${prefix} followed by the base64 of ${bytesMin} to ${bytesMax} bytes`
}

/** The HMAC key. */
export const secretBytes = (secret: string) => Buffer.from(secret.slice(prefix.length), 'base64')
