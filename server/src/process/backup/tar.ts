import { type FileHandle, open } from 'node:fs/promises'

// The part of tar (POSIX.1-1988, "ustar") that a backup needs: plain files and directories.

const blockSize = 512
const chunkSize = 1024 * 1024

export interface TarWriter {
  directory: (name: string) => Promise<void>
  /** @param chunks exactly `size` octets */
  file: (name: string, size: number, chunks: AsyncIterable<Buffer> | Buffer[]) => Promise<void>
  /** The end mark; without it the archive counts as cut. */
  end: () => Promise<void>
}

export function writeTar(handle: FileHandle): TarWriter {
  const put = (buffer: Buffer) => handle.writeFile(buffer)
  return {
    directory: (name) => put(header(`${name}/`, 0, '5')),
    async file(name, size, chunks) {
      await put(header(name, size, '0'))
      let written = 0
      for await (const chunk of chunks) {
        await put(chunk)
        written += chunk.length
      }
      if (written !== size) throw new Error(`${name} has ${written} octets in place of ${size}.`)
      await put(Buffer.alloc(paddingOf(size)))
    },
    end: () => put(Buffer.alloc(2 * blockSize)),
  }
}

export interface TarEntry {
  name: string
  isDirectory: boolean
  size: number
  /** To be read to its end before the next entry. */
  chunks: () => AsyncGenerator<Buffer>
}

/** @throws Error when it is cut, or no such archive */
export async function* readTar(path: string): AsyncGenerator<TarEntry> {
  await using handle = await open(path)
  let position = 0
  const read = async (size: number) => {
    const buffer = Buffer.allocUnsafe(size)
    const { bytesRead } = await handle.read(buffer, 0, size, position)
    if (bytesRead < size) throw new Error(position === 0 ? noArchive : 'it ends in the middle')
    position += size
    return buffer
  }
  for (;;) {
    const block = await read(blockSize)
    if (block.every((octet) => octet === 0)) return
    const entry = parseHeader(block)
    const end = position + entry.size + paddingOf(entry.size)
    yield {
      ...entry,
      async *chunks() {
        for (let left = entry.size; left > 0; left -= Math.min(left, chunkSize)) {
          yield await read(Math.min(left, chunkSize))
        }
      },
    }
    position = end
  }
}

const noArchive = 'it is no tar archive, or damaged'

const paddingOf = (size: number) => (blockSize - (size % blockSize)) % blockSize

function header(name: string, size: number, type: '0' | '5'): Buffer {
  const block = Buffer.alloc(blockSize)
  if (Buffer.byteLength(name) > 100) throw new Error(`${name} is too long for this archive.`)
  block.write(name, 0)
  block.write(type === '5' ? '0000700\0' : '0000600\0', 100)
  block.write('0000000\0' + '0000000\0', 108)
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  block.write('00000000000\0', 136)
  block.write(type, 156)
  block.write('ustar\0' + '00', 257)
  block.write(`${checksumOf(block).toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

/** Of the header, with blanks in place of the sum itself. */
function checksumOf(block: Buffer): number {
  let sum = 0
  for (const [at, octet] of block.entries()) sum += at >= 148 && at < 156 ? 0x20 : octet
  return sum
}

function parseHeader(block: Buffer): { name: string; size: number; isDirectory: boolean } {
  const text = (from: number, to: number) =>
    block.toString('utf8', from, to).replace(/\0.*$/s, '').trim()
  const isOurs =
    text(257, 263) === 'ustar' && Number.parseInt(text(148, 156), 8) === checksumOf(block)
  if (!isOurs) throw new Error(noArchive)
  const isDirectory = block.toString('latin1', 156, 157) === '5'
  return {
    name: text(0, 100).replace(/\/$/, ''),
    size: Number.parseInt(text(124, 136), 8),
    isDirectory,
  }
}
