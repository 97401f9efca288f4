/** A text part of a mail as it goes over the wire, with its `Content-Transfer-Encoding`. */
export interface EncodedBody {
  encoding: 'quoted-printable' | 'base64'
  /** Lines of at most 76 characters, ASCII. The next call may overwrite it. */
  octets: Buffer
}

/** The shorter of both encodings: 7-bit lines that no server has a reason to touch. */
export function encodeBody(text: string): EncodedBody {
  const bytes = Buffer.from(text)
  const quoted = quotedPrintable(bytes)
  if (quoted.length <= base64Length(bytes.length)) {
    return { encoding: 'quoted-printable', octets: quoted }
  }
  return { encoding: 'base64', octets: base64(text) }
}

const lineMax = 76
const [tab, lf, cr, space, equals] = [0x09, 0x0a, 0x0d, 0x20, 0x3d]

/** 1 for what stands for itself everywhere. */
const literal = new Uint8Array(256).fill(1, space + 1, 0x7f)
literal[equals] = 0

const hexadecimal = Buffer.from('0123456789ABCDEF')

let scratch = Buffer.alloc(64 * 1024)

/** RFC 2045 §6.7; a line end of any kind becomes CRLF. One of the two hot loops of composing. */
function quotedPrintable(bytes: Buffer): Buffer {
  // Three for one, and a soft line break for each 24 of these.
  const most = Math.ceil(bytes.length * 3 * 1.05) + 16
  if (scratch.length < most) scratch = Buffer.alloc(most)
  const out = scratch
  let at = 0
  let lineStart = 0
  const breakSoftly = () => {
    out[at++] = equals
    out[at++] = cr
    out[at++] = lf
    lineStart = at
  }
  // A soft break needs the last column, the end of a line does not.
  const fits = (octets: number, isLast: boolean) =>
    at - lineStart + octets <= (isLast ? lineMax : lineMax - 1)
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number
    if (literal[byte] === 1 && at - lineStart < lineMax - 1) {
      out[at++] = byte
      continue
    }
    if (byte === lf || byte === cr) {
      if (byte === cr && bytes[i + 1] === lf) i++
      out[at++] = cr
      out[at++] = lf
      lineStart = at
      continue
    }
    const next = bytes[i + 1]
    const isLast = next === undefined || next === lf || next === cr
    const isLiteral = byte === space || byte === tab ? !isLast : literal[byte] === 1
    if (!fits(isLiteral ? 1 : 3 * octetsFrom(byte), isLast)) breakSoftly()
    if (isLiteral) out[at++] = byte
    else {
      out[at++] = equals
      out[at++] = hexadecimal[byte >> 4] as number
      out[at++] = hexadecimal[byte & 15] as number
    }
  }
  return out.subarray(0, at)
}

/** Of the character that begins here: it is not cut in two. */
function octetsFrom(byte: number): number {
  if (byte < 0xc0) return 1
  if (byte < 0xe0) return 2
  return byte < 0xf0 ? 3 : 4
}

function base64(text: string): Buffer {
  const encoded = Buffer.from(text.replace(/\r\n?|\n/g, '\r\n')).toString('base64')
  const lines: string[] = []
  for (let at = 0; at < encoded.length; at += lineMax) lines.push(encoded.slice(at, at + lineMax))
  return Buffer.from(lines.join('\r\n'))
}

const base64Length = (bytes: number) => {
  const length = Math.ceil(bytes / 3) * 4
  return length + Math.floor(length / lineMax) * 2
}
