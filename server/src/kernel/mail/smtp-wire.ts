import type { Socket } from 'node:net'
import { MailFailure, type MailFailureKind, type MailStage } from './failure.ts'
import { type Reply, ReplyParser } from './reply.ts'

interface Reading {
  stage: MailStage
  certain: boolean
  resolve: (reply: Reply) => void
  reject: (failure: MailFailure) => void
}

/**
 * Lines to a server and replies from it, one reading at a time. Once something goes wrong here the
 * connection is over: where the two sides stand can no longer be known.
 */
export class SmtpWire {
  readonly #socket: Socket
  readonly #parser = new ReplyParser()
  #reading: Reading | undefined
  #timer: NodeJS.Timeout | undefined
  #broken: MailFailureKind | undefined

  constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', this.#receive)
    socket.on('error', this.#onError)
    socket.on('close', this.#onClose)
  }

  get isOpen(): boolean {
    return this.#broken === undefined
  }

  /** A reply is here, or the beginning of one, that no command asked for. */
  get hasUnasked(): boolean {
    return this.#parser.hasMore
  }

  write(data: string | Buffer): void {
    if (this.isOpen) this.#socket.write(data)
  }

  /** Resolves when the operating system has taken it all, or with what stopped it. */
  async flush(data: Buffer, timeoutMs: number): Promise<MailFailureKind | undefined> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(() => this.abort('timeout'), timeoutMs)
    this.#socket.once('close', resolve)
    this.#socket.write(data, (error) => {
      if (error) this.#break(kindOf(error))
      resolve()
    })
    await promise
    clearTimeout(timer)
    this.#socket.off('close', resolve)
    return this.#broken
  }

  /** The next reply. What came before the end of the connection is still read. */
  read(stage: MailStage, timeoutMs: number, certain = true): Promise<Reply> {
    const reply = this.#parser.shift()
    if (reply) return Promise.resolve(reply)
    if (this.#broken) return Promise.reject(new MailFailure(stage, this.#broken, { certain }))
    return new Promise((resolve, reject) => {
      this.#reading = { stage, certain, resolve, reject }
      this.#timer = setTimeout(yieldThenExpire, timeoutMs, this, this.#reading)
    })
  }

  expire(reading: Reading): void {
    if (this.#reading === reading) this.abort('timeout')
  }

  /** Ends the connection at once. */
  abort(kind: MailFailureKind): void {
    this.#break(kind)
    this.#socket.destroy()
  }

  /** Says goodbye; resolves when the connection is closed, after `timeoutMs` at the latest. */
  async quit(timeoutMs: number): Promise<void> {
    if (!this.isOpen) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(() => this.#socket.destroy(), timeoutMs)
    this.#socket.once('close', () => resolve())
    this.#broken = 'closed'
    this.#socket.end('QUIT\r\n')
    this.#socket.resume()
    await promise
    clearTimeout(timer)
  }

  /** The socket, to put TLS around; this wire hears nothing of it any more. */
  release(): Socket {
    this.#broken = 'closed'
    this.#socket.off('data', this.#receive).off('close', this.#onClose)
    return this.#socket
  }

  readonly #receive = (chunk: Buffer) => {
    if (this.#broken) return
    try {
      this.#parser.push(chunk)
    } catch {
      return this.abort('protocol')
    }
    const reply = this.#reading && this.#parser.shift()
    if (reply) this.#settle()?.resolve(reply)
  }

  readonly #onError = (error: NodeJS.ErrnoException) => this.#break(kindOf(error))
  readonly #onClose = () => this.#break('closed')

  #break(kind: MailFailureKind): void {
    this.#broken ??= kind
    const reading = this.#settle()
    reading?.reject(new MailFailure(reading.stage, this.#broken, { certain: reading.certain }))
  }

  #settle(): Reading | undefined {
    const reading = this.#reading
    this.#reading = undefined
    clearTimeout(this.#timer)
    return reading
  }
}

const kindOf = ({ code = '' }: NodeJS.ErrnoException): MailFailureKind => {
  if (code === 'ETIMEDOUT') return 'timeout'
  return /^ERR_(SSL|TLS)/.test(code) || code === 'EPROTO' ? 'tls' : 'closed'
}

/** After a stall of this process an answer may already be here, unread: one poll phase first. */
function yieldThenExpire(wire: SmtpWire, reading: Reading): void {
  setImmediate(() => wire.expire(reading))
}
