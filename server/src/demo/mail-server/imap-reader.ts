import type { Socket } from 'node:net'

const lineBytesMax = 65_536
const literalBytesMax = 64 * 1024 * 1024

/** A command: text, and literals between it. */
export type CommandParts = (string | Buffer)[]

/** Reads an IMAP client's lines, and the literals that they announce (RFC 9051 §4.3). */
export class ImapReader {
  readonly #chunks: AsyncIterator<Buffer>
  readonly #goAhead: () => void
  #rest: Buffer = Buffer.alloc(0)

  /** @param goAhead tells the client that it may send the literal it announced */
  constructor(socket: Socket, goAhead: () => void) {
    this.#chunks = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>
    this.#goAhead = goAhead
  }

  /** Nothing when the client has gone. */
  async command(): Promise<CommandParts | undefined> {
    const parts: CommandParts = []
    for (;;) {
      const line = await this.line()
      if (line === undefined) return
      const literal = /\{(\d{1,9})(\+?)\}$/.exec(line)
      if (!literal) return [...parts, line]
      if (literal[2] === '') this.#goAhead()
      const bytes = await this.#take(Math.min(Number(literal[1]), literalBytesMax))
      if (bytes === undefined) return
      parts.push(line.slice(0, literal.index), bytes)
    }
  }

  async line(): Promise<string | undefined> {
    for (;;) {
      const end = this.#rest.indexOf('\n')
      if (end >= 0) {
        const line = this.#rest.toString('utf8', 0, end).replace(/\r$/, '')
        this.#rest = this.#rest.subarray(end + 1)
        return line
      }
      if (this.#rest.length > lineBytesMax || !(await this.#more())) return
    }
  }

  async #take(count: number): Promise<Buffer | undefined> {
    const chunks = [this.#rest]
    let length = this.#rest.length
    while (length < count) {
      const { value, done } = await this.#chunks.next()
      if (done) return
      chunks.push(value)
      length += value.length
    }
    const bytes = Buffer.concat(chunks)
    this.#rest = bytes.subarray(count)
    return bytes.subarray(0, count)
  }

  async #more(): Promise<boolean> {
    const { value, done } = await this.#chunks.next()
    if (!done) this.#rest = Buffer.concat([this.#rest, value])
    return !done
  }
}
