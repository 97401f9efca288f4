import { createHash, type Hash } from 'node:crypto'
import { access, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { naming } from '../../kernel/files.ts'
import { readTar, type TarEntry, writeTar } from './tar.ts'

/** The first entry says what the file is, the last one what must be in it. */
const markName = 'outrider-backup'
const manifestName = 'manifest'

export interface Mark {
  /** Of the layout of the archive. */
  format: 1
  outrider: string
  /** Major version of the PostgreSQL whose files are in it. */
  postgres: string
  timestamp: string
}

export interface ArchiveWriter {
  directory: (name: string) => Promise<void>
  file: (name: string, size: number, chunks: AsyncIterable<Buffer> | Buffer[]) => Promise<void>
}

export interface ArchiveSize {
  files: number
  bytes: number
}

/** Whole, on the disk and read back, or not there at all. */
export async function writeArchive(
  path: string,
  mark: Mark,
  fill: (archive: ArchiveWriter) => Promise<void>,
): Promise<ArchiveSize> {
  const partial = `${path}.partial`
  // Else its failure names a file that nobody asked for.
  await access(dirname(path))
  try {
    await write(partial, mark, fill).catch(naming(partial))
    const { size } = await checkArchive(partial)
    await rename(partial, path)
    return size
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

async function write(
  path: string,
  mark: Mark,
  fill: (archive: ArchiveWriter) => Promise<void>,
): Promise<void> {
  await using handle = await open(path, 'w', 0o600)
  const tar = writeTar(handle)
  const put = async (name: string, value: object) => {
    const text = Buffer.from(JSON.stringify(value))
    await tar.file(name, text.length, [text])
  }
  const hashes: Record<string, string> = {}
  await put(markName, mark)
  await fill({
    directory: tar.directory,
    async file(name, size, chunks) {
      const hash = createHash('sha256')
      await tar.file(name, size, hashed(chunks, hash))
      hashes[name] = hash.digest('hex')
    },
  })
  await put(manifestName, hashes)
  await tar.end()
  await handle.sync()
}

/**
 * Reads all of it and compares.
 *
 * @throws what is wrong with it, by its name
 */
export async function checkArchive(path: string): Promise<{ mark: Mark; size: ArchiveSize }> {
  const found: Record<string, string> = {}
  let mark: Mark | undefined
  let manifest: Record<string, string> | undefined
  const size = { files: 0, bytes: 0 }
  try {
    for await (const entry of readTar(path)) {
      if (!mark && entry.name !== markName) throw new Error('it is no backup of Outrider')
      if (entry.name === markName) mark = JSON.parse((await collect(entry)).toString()) as Mark
      else if (entry.name === manifestName) manifest = JSON.parse((await collect(entry)).toString())
      else if (!entry.isDirectory) {
        const hash = createHash('sha256')
        for await (const chunk of entry.chunks()) hash.update(chunk)
        found[entry.name] = hash.digest('hex')
        size.files += 1
        size.bytes += entry.size
      }
    }
    if (!mark || !manifest) throw new Error('it ends too early')
    if (mark.format !== 1) {
      throw new Error(`its layout is unknown here, restore it with Outrider ${mark.outrider}`)
    }
    const differing = Object.keys({ ...manifest, ...found }).find(
      (name) => manifest?.[name] !== found[name],
    )
    if (differing !== undefined) throw new Error(`${differing} in it is damaged`)
    return { mark, size }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code) throw error
    throw new Error(`${path} cannot be used: ${message}.`)
  }
}

/** What is in it beside the mark and the manifest. Checked before. */
export async function* readArchive(path: string): AsyncGenerator<TarEntry> {
  for await (const entry of readTar(path)) {
    if (entry.name !== markName && entry.name !== manifestName) yield entry
  }
}

async function* hashed(chunks: AsyncIterable<Buffer> | Buffer[], hash: Hash) {
  for await (const chunk of chunks) {
    hash.update(chunk)
    yield chunk
  }
}

async function collect({ chunks }: TarEntry): Promise<Buffer> {
  const all: Buffer[] = []
  for await (const chunk of chunks()) all.push(chunk)
  return Buffer.concat(all)
}
