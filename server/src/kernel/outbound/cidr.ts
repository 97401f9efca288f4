import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** An address range; the bytes are the network address (4 for IPv4, 16 for IPv6). */
export interface Cidr {
  text: string
  bytes: number[]
  prefix: number
}

/**
 * The bytes an address is judged by: 4 for IPv4 and for IPv6 that only wraps IPv4
 * (mapped ::ffff:0:0/96 and compatible ::/96, RFC 4291 §2.5.5), else 16.
 * Null for anything that is not a plain address: a zone id, shorthand, octal.
 */
export function parseAddress(text: string): number[] | null {
  if (isIP(text) === 0 || text.includes('%')) return null
  return unwrapIpv4(ipaddr.parse(text).toByteArray())
}

export function parseCidr(text: string): Cidr {
  const [address = '', length, ...rest] = text.split('/')
  const written = isIP(address) === 0 || address.includes('%') ? null : ipaddr.parse(address)
  if (written === null || rest.length > 0) throw notRange(text)
  const full = written.toByteArray()
  const prefix = length === undefined ? full.length * 8 : Number(length)
  if ((length !== undefined && !/^\d{1,3}$/.test(length)) || prefix > full.length * 8) {
    throw notRange(text)
  }
  if (full.some((byte, at) => (byte & ~maskByte(prefix, at)) !== 0)) {
    throw new Error(
      `"${text}" has bits set after its prefix; write the first address of the range.`,
    )
  }
  const bytes = prefix >= 96 ? unwrapIpv4(full) : full
  return { text, bytes, prefix: bytes.length === full.length ? prefix : prefix - 96 }
}

/**
 * Ranges separated by commas or spaces; a bare address is a range of one.
 * @param variable the setting that has them
 * @throws Error with a sentence that names the setting and the entry
 */
export function parseCidrs(text: string, variable = 'OUTBOUND_ALLOW'): Cidr[] {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '')
  return entries.map((entry) => {
    try {
      return parseCidr(entry)
    } catch (error) {
      throw new Error(`${variable}: ${(error as Error).message}`)
    }
  })
}

export function contains(range: Cidr, address: number[]): boolean {
  if (range.bytes.length !== address.length) return false
  return range.bytes.every((byte, at) => byte === ((address[at] ?? 0) & maskByte(range.prefix, at)))
}

function unwrapIpv4(bytes: number[]): number[] {
  if (bytes.length === 4 || bytes.slice(0, 10).some((byte) => byte !== 0)) return bytes
  const inner = bytes.slice(12)
  if (bytes[10] === 0xff && bytes[11] === 0xff) return inner
  if (bytes[10] !== 0 || bytes[11] !== 0) return bytes
  // :: and ::1 lie in ::/96 but are addresses of their own.
  const value = Buffer.from(inner).readUInt32BE()
  return value <= 1 ? bytes : inner
}

function maskByte(prefix: number, at: number): number {
  const bits = Math.min(8, Math.max(0, prefix - at * 8))
  return (0xff << (8 - bits)) & 0xff
}

function notRange(text: string): Error {
  return new Error(`"${text}" is not an address range such as 10.0.0.0/8 or fd00::/8.`)
}
