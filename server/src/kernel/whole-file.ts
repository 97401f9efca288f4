import { createWriteStream, type WriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'

/**
 * A file that has its name once it is whole: what is broken off leaves what was there. Only for its
 * owner, since it is full of addresses. What is no file, such as a pipe, is written to as it is.
 *
 * @param write ends the stream
 */
export async function writeWholeFile(
  path: string,
  write: (file: WriteStream) => Promise<void>,
): Promise<void> {
  const isFile = (await stat(path).catch(() => undefined))?.isFile() ?? true
  if (!isFile) return write(createWriteStream(path))
  const unfinished = `${path}.part`
  try {
    await write(createWriteStream(unfinished, { mode: 0o600 }))
    await rename(unfinished, path)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}
