import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { createGunzip } from 'node:zlib'
import { BrokenFile, recode } from '../../../kernel/csv/recode.ts'

/** A file that is read once from its beginning. */
export interface Source extends AsyncDisposable {
  /** By which a file that is taken up again is known: its size, its time, how it begins and ends. */
  fingerprint: string
  /** Of the file as it lies there, compressed or not. */
  bytes: number
  bytesRead: () => number
  /** Its text in UTF-8, piece by piece, without a byte order mark. */
  pieces: () => AsyncGenerator<Buffer>
}

/**
 * @param encoding a label of the WHATWG encoding standard; a byte order mark goes before it
 * @throws when the file cannot be read or the encoding is unknown
 */
export async function openSource(path: string, encoding: string): Promise<Source> {
  const file = await open(path)
  try {
    const stat = await file.stat()
    if (!stat.isFile()) throw new Error(`${path} is not a file.`)
    const { size, mtimeMs } = stat
    const first = await readAt(file, 0, sampleBytes)
    const last = await readAt(file, Math.max(0, size - sampleBytes), sampleBytes)
    const about = `${size} ${mtimeMs} ${encoding} `
    const hash = createHash('sha256').update(about).update(first).update(last)
    let bytesRead = 0
    async function* pieces() {
      const options = { start: 0, autoClose: false, highWaterMark: pieceBytes }
      for await (const piece of file.createReadStream(options)) {
        bytesRead += piece.length
        yield piece as Buffer
      }
    }
    const isGzip = first[0] === 0x1f && first[1] === 0x8b
    return {
      fingerprint: hash.digest('hex'),
      bytes: size,
      bytesRead: () => bytesRead,
      pieces: () => recode(isGzip ? gunzip(pieces()) : pieces(), encoding),
      [Symbol.asyncDispose]: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

const sampleBytes = 1 << 16

/** Small enough for others to get their turn between two pieces. */
const pieceBytes = 1 << 18

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}

async function* gunzip(pieces: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const unzipped = createGunzip({ chunkSize: pieceBytes })
  let isWritten = false
  // Only once everything was taken out: a file that ends too early takes along what is left.
  const endWhenRead = () => {
    if (isWritten && unzipped.readableLength === 0) unzipped.end()
  }
  const writing = (async () => {
    for await (const piece of pieces) {
      await new Promise<void>((resolve, reject) => {
        unzipped.write(piece, (error) => (error ? reject(error) : resolve()))
      })
    }
    isWritten = true
    endWhenRead()
  })()
  writing.catch((error) => unzipped.destroy(error))
  try {
    for await (const piece of unzipped) {
      yield piece as Buffer
      endWhenRead()
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (!code?.startsWith('Z_')) throw error
    throw new BrokenFile(
      code === 'Z_BUF_ERROR'
        ? 'The file ends in the middle of its compression.'
        : 'The compression of the file is damaged.',
    )
  }
}
