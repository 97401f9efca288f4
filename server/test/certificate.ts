import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/**
 * A self-signed certificate (X.509 v3, P-256) made on the spot, so that no private key lies in
 * the repository. It is its own authority: trusting `cert` makes it valid for `names`.
 */
export function makeCertificate(
  names: string[],
  validity: { from?: Date; to?: Date } = {},
): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = sequence(set(sequence(OID.commonName, utf8(names[0] ?? 'test'))))
  const from = validity.from ?? new Date(Date.now() - DAY_MS)
  const to = validity.to ?? new Date(Date.now() + DAY_MS)
  const content = sequence(
    explicit(0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    sequence(OID.ecdsaWithSha256),
    name,
    sequence(time(from), time(to)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    explicit(
      3,
      sequence(
        sequence(OID.subjectAltName, octets(sequence(...names.map(altName)))),
        sequence(OID.basicConstraints, octets(sequence(der(0x01, Buffer.from([0xff]))))),
      ),
    ),
  )
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', content, privateKey)])
  const certificate = sequence(content, sequence(OID.ecdsaWithSha256), der(0x03, signature))
  const lines = certificate.toString('base64').replace(/.{64}/g, '$&\n').trimEnd()
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  }
}

const DAY_MS = 86_400_000

const OID = {
  commonName: der(0x06, Buffer.from('550403', 'hex')),
  subjectAltName: der(0x06, Buffer.from('551d11', 'hex')),
  basicConstraints: der(0x06, Buffer.from('551d13', 'hex')),
  ecdsaWithSha256: der(0x06, Buffer.from('2a8648ce3d040302', 'hex')),
}

/** Tag, length, value (X.690 §8.1). */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const value = Buffer.concat(parts)
  const { length } = value
  const size = length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), value])
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, ...parts)
}

function set(...parts: Buffer[]): Buffer {
  return der(0x31, ...parts)
}

function explicit(tag: number, part: Buffer): Buffer {
  return der(0xa0 + tag, part)
}

function octets(part: Buffer): Buffer {
  return der(0x04, part)
}

function utf8(text: string): Buffer {
  return der(0x0c, Buffer.from(text))
}

/** GeneralizedTime, in seconds (RFC 5280 §4.1.2.5.2). */
function time(date: Date): Buffer {
  return der(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]|\.\d+Z/g, '')}Z`))
}

function altName(name: string): Buffer {
  const isAddress = /^\d+(\.\d+){3}$/.test(name)
  return isAddress
    ? der(0x87, Buffer.from(name.split('.').map(Number)))
    : der(0x82, Buffer.from(name))
}
