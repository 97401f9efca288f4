import { type FileHandle, open } from 'node:fs/promises'
import type { Rejection } from './batch.ts'

/** The rejected rows, in a CSV that is made for the first of them. No value of a row is in it. */
export class Report implements AsyncDisposable {
  readonly path: string
  #file: FileHandle | undefined

  constructor(path: string) {
    this.path = path
  }

  /**
   * @param bytes how much of it holds: what follows was written by an attempt that came to nothing
   * @returns how long it is with these in it
   */
  async add(rejections: Rejection[], bytes: number): Promise<number> {
    if (rejections.length === 0) return bytes
    this.#file ??= await open(this.path, bytes === 0 ? 'w' : 'r+')
    await this.#file.truncate(bytes)
    const lines = rejections
      .toSorted((a, b) => a.row - b.row)
      .map(({ row, reason }) => `${row},"${reason.replaceAll('"', '""')}"\n`)
    const text = (bytes === 0 ? 'row,reason\n' : '') + lines.join('')
    const { bytesWritten } = await this.#file.write(text, bytes)
    return bytes + bytesWritten
  }

  async [Symbol.asyncDispose]() {
    await this.#file?.close()
  }
}
