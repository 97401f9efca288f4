import { isUtf8 } from 'node:buffer'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'

/** What is read of a response before the connection is cut. */
export const readBytesMax = 16 * 1024
/** What is kept of it as text. */
export const textBytesUsual = 1024

/** Its first bytes as text, cut between characters; null when empty, not UTF-8 or with NUL. */
export function textOf(body: Buffer, bytesMax = textBytesUsual): string | null {
  const start = withoutCutCharacter(body.subarray(0, bytesMax))
  if (start.length === 0 || !isUtf8(start) || start.includes(0)) return null
  return start.toString('utf8')
}

/** Text of an encoded body; null as for `textOf`, and for an encoding that is not known. */
export type Decode = (encoding: string, body: Buffer) => Promise<string | null>

/**
 * Decodes content-encodings far enough for `textOf` and no further: a decoder stops at 1 KiB,
 * so a bomb costs what a small body costs. One at a time, since a brotli window may take 16 MiB.
 */
export function createDecoder(): Decode {
  let last: Promise<unknown> = Promise.resolve()
  return (encoding, body) => {
    // A failure would stay in the chain for every body after it; and an answer counts without its body.
    const shown = last
      .then(() => decodeStart(encoding, body))
      .then((start) => textOf(start))
      .catch(() => null)
    last = shown
    return shown
  }
}

function decodeStart(encoding: string, body: Buffer): Promise<Buffer> {
  const decoder = createDecompressor(encoding, body)
  const { promise, resolve } = Promise.withResolvers<Buffer>()
  if (decoder === undefined || body.length === 0) return Promise.resolve(Buffer.alloc(0))
  const chunks: Buffer[] = []
  let size = 0
  const stop = () => {
    decoder.destroy()
    resolve(Buffer.concat(chunks))
  }
  decoder.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    size += chunk.length
    if (size >= textBytesUsual) stop()
  })
  decoder.on('end', stop)
  // A body that breaks off still shows what came before.
  decoder.on('error', stop)
  decoder.end(body)
  return promise
}

function createDecompressor(encoding: string, body: Buffer) {
  const options = { chunkSize: textBytesUsual }
  switch (encoding.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip(options)
    case 'deflate':
      // RFC 9110 §8.4.1.2: some servers send it without the zlib header, whose low bits are 8.
      return ((body[0] ?? 0) & 0x0f) === 8 ? createInflate(options) : createInflateRaw(options)
    case 'br':
      return createBrotliDecompress(options)
    default:
      return undefined
  }
}

/** Drops a last character whose bytes are not all there. */
function withoutCutCharacter(bytes: Buffer): Buffer {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return bytes
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
      return length > back ? bytes.subarray(0, bytes.length - back) : bytes
    }
  }
  return bytes
}
