import { open, rm } from 'node:fs/promises'
import type { Rejection } from './batch.ts'

/** The rejected rows, in a CSV that is made for the first of them. No value of a row is in it. */
export class Report {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  /**
   * Before an import is begun: the report of an earlier one goes.
   *
   * @throws when something else lies there
   */
  async clear() {
    const found = await this.#read()
    if (!found) return
    if (found.bytes > 0 && !found.isReport) {
      throw new Error(`${this.path} is there, and is no report: name another file with --report.`)
    }
    await rm(this.path)
  }

  /** Whether an import that wrote so many bytes of it can go on with it. */
  async hasAtLeast(bytes: number): Promise<boolean> {
    const found = await this.#read()
    return found?.isReport === true && found.bytes >= bytes
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

  /** Undefined: there is none. */
  async #read() {
    await using file = await open(this.path).catch((error) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
    if (!file) return undefined
    const { buffer } = await file.read(Buffer.alloc(firstLine.length), 0, firstLine.length, 0)
    return { bytes: (await file.stat()).size, isReport: buffer.toString() === firstLine }
  }
}

const firstLine = 'row,reason\n'
