import type { Socket } from 'node:net'

/** Where an IMAP session talks to. */
export class ImapOutput {
  readonly #socket: Socket

  constructor(socket: Socket) {
    this.#socket = socket
  }

  say(...lines: string[]): void {
    for (const line of lines) if (!this.#socket.destroyed) this.#socket.write(`${line}\r\n`)
  }

  /** Waits while the client reads more slowly than this writes. */
  async write(bytes: Buffer): Promise<void> {
    if (this.#socket.destroyed || this.#socket.write(bytes)) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#socket.once('drain', resolve).once('close', resolve)
    await promise
    this.#socket.off('drain', resolve).off('close', resolve)
  }

  end(): void {
    this.#socket.destroySoon()
  }
}
