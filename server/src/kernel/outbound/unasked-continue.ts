import type { Duplex } from 'node:stream'

const statusDigitAt = 'HTTP/1.1 '.length
const [zero, one, two, lineFeed, carriageReturn] = Buffer.from('012\n\r')

/**
 * undici ends a connection on a `100 Continue` that it did not ask for, though a client must cope with
 * one (RFC 9110 §15.2). It reads each as `102`, which undici skips like every other 1xx.
 */
export class UnaskedContinue {
  /** Bytes of this response's status line that were read; undefined: a final response has begun. */
  #lineBytes: number | undefined = 0
  #lineFeeds = 0

  constructor(socket: Duplex) {
    const read = socket.read.bind(socket)
    socket.read = (size?: number) => {
      const chunk = read(size)
      if (this.#lineBytes !== undefined && chunk !== null) this.#renumber(chunk)
      return chunk
    }
  }

  /** A request is about to be sent: what is read next is the beginning of its response. */
  expectResponse() {
    this.#lineBytes = 0
  }

  /** The status line may come in any number of pieces, and any number of 1xx after one another. */
  #renumber(chunk: Buffer) {
    for (let at = 0; at < chunk.length && this.#lineBytes !== undefined; at++) {
      const byte = chunk[at]
      const place = this.#lineBytes - statusDigitAt
      if (place === 0 && byte !== one) {
        this.#lineBytes = undefined
        return
      }
      if (place === 2 && byte === zero) chunk[at] = two as number
      this.#lineBytes += 1
      if (byte === lineFeed) this.#lineFeeds += 1
      else if (byte !== carriageReturn) this.#lineFeeds = 0
      // An empty line ends an informational response: it has no body.
      if (this.#lineFeeds === 2) {
        this.#lineFeeds = 0
        this.#lineBytes = 0
      }
    }
  }
}
