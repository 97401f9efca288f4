import { open, rm } from 'node:fs/promises'
import { ifMissing } from '../../../kernel/files.ts'
import type { Rejection } from './batch.ts'

/** The rejected rows, in a CSV that is made for the first of them. No value of a row is in it. */
export class Report {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  /**
   * Whether an import that wrote so many bytes of it can go on with it. What it cannot go on with is
   * deleted.
   *
   * @throws when something else lies there
   */
  async takeUp(bytes: number): Promise<boolean> {
    await using file = await open(this.path).catch(ifMissing)
    if (!file) return false
    const { size } = await file.stat()
    const { buffer } = await file.read(Buffer.alloc(firstLine.length), 0, firstLine.length, 0)
    if (size > 0 && buffer.toString() !== firstLine) {
      throw new Error(`${this.path} is there, and is no report: name another file with --report.`)
    }
    if (bytes > 0 && size >= bytes) return true
    await rm(this.path)
    return false
  }

  /**
   * @param bytes how much of it holds: what follows was written by an attempt that came to nothing
   * @returns how long it is with these in it
   */
  async add(rejections: Rejection[], bytes: number): Promise<number> {
    if (rejections.length === 0) return bytes
    await using file = await this.#open(bytes === 0 ? 'w' : 'r+')
    await file.truncate(bytes)
    const lines = rejections
      .toSorted((a, b) => a.row - b.row)
      .map(({ row, reason }) => `${row},"${reason.replaceAll('"', '""')}"\n`)
    const text = (bytes === 0 ? firstLine : '') + lines.join('')
    const { bytesWritten } = await file.write(text, bytes)
    return bytes + bytesWritten
  }

  #open(flags: string) {
    return open(this.path, flags).catch(({ code }) => {
      throw new Error(
        `The report of rejected rows cannot be written to ${this.path} (${code}): name another file with --report.`,
      )
    })
  }
}

const firstLine = 'row,reason\n'
