/** A text part of a mail as it goes over the wire, with its `Content-Transfer-Encoding`. */
export interface EncodedBody {
  encoding: 'quoted-printable' | 'base64'
  /** Lines of at most 76 characters, ASCII. It is overwritten by the next call. */
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
const [lf, cr, tab, space, equals] = [0x0a, 0x0d, 0x09, 0x20, 0x3d]

/** Of `c` in hexadecimal, as two octets. */
const hexadecimal = Buffer.from('0123456789ABCDEF')

let scratch = Buffer.alloc(64 * 1024)

/** RFC 2045 §6.7; a line end of any kind becomes CRLF. */
function quotedPrintable(bytes: Buffer): Buffer {
  // Three for one, and a soft line break for each 24 of these.
  const most = Math.ceil(bytes.length * 3 * 1.05) + 16
  if (scratch.length < most) scratch = Buffer.alloc(most)
  const out = scratch
  let at = 0
  let column = 0
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number
    if (byte === lf || byte === cr) {
      if (byte === cr && bytes[i + 1] === lf) i++
      out[at++] = cr
      out[at++] = lf
      column = 0
      continue
    }
    const next = bytes[i + 1]
    const isLast = next === undefined || next === lf || next === cr
    const isLiteral =
      byte === space || byte === tab ? !isLast : byte > space && byte < 0x7f && byte !== equals
    const length = isLiteral ? 1 : 3 * (byte < 0xc0 ? 1 : octetsOfCharacter(byte))
    // A soft break needs the last column; a character is not cut in two.
    if (column + length > lineMax - (isLast ? 0 : 1)) {
      out[at++] = equals
      out[at++] = cr
      out[at++] = lf
      column = 0
    }
    if (isLiteral) {
      out[at++] = byte
      column++
    } else {
      out[at++] = equals
      out[at++] = hexadecimal[byte >> 4] as number
      out[at++] = hexadecimal[byte & 15] as number
      column += 3
    }
  }
  return out.subarray(0, at)
}

const octetsOfCharacter = (first: number) => (first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2)

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
