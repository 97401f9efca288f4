import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { classify, type Failure } from './failure.ts'
import { type Decode, readBytesMax, textBytesUsual, textOf } from './response-body.ts'

/** `timeoutMs` is the absolute deadline of everything, `connectTimeoutMs` (5 s) of connecting. */
export interface PostRequest {
  /** What it is for. Each use has connections of its own: none waits for those of another. */
  use: string
  url: string
  headers: Record<string, string>
  body: string | Buffer
  timeoutMs: number
  /** Aborted when whoever asked cannot wait for the deadline. */
  stop?: AbortSignal | undefined
  connectTimeoutMs?: number
  /** How much text of a body without an encoding is answered: 1 KiB, 16 KiB at most. */
  textBytesMax?: number
  /** What counts is the status: an answer whose body breaks off, or is late, is one all the same. */
  needsNoBody?: true
}

/** `durationMs` runs from the start of the request to the end of the response, or the cut. */
export type PostOutcome =
  | {
      kind: 'response'
      status: number
      /** Its first text; null when empty or binary. */
      body: string | null
      /** The deadline passed before the body was over. */
      isLate?: true
      retryAfter: string | null
      durationMs: number
    }
  | ({ kind: 'failure'; durationMs: number } & Omit<Failure, 'isOurs'>)
  /** Nothing left this process, for a reason of its own: the receiver was not asked. */
  | { kind: 'unsent'; reason: string; durationMs: number }

/** What tells something of the receiver. */
export type SentOutcome = Exclude<PostOutcome, { kind: 'unsent' }>

/** Where a request goes: an origin as a URL has it, and path and query. */
export interface Target {
  origin: string
  path: string
}

/** What a request needs of the sender it belongs to. */
export interface Sender {
  monotonicMs: () => number
  decode: Decode
  /** The request is over; its connection may serve another only if it ended cleanly. */
  finished(request: OutboundRequest, isClean: boolean): void
}

const connectTimeoutUsualMs = 5_000
const retryAfterCharactersMax = 64

/** One POST on its way: undici reports to it, and it settles exactly once. */
export class OutboundRequest implements Dispatcher.DispatchHandler {
  readonly post: PostRequest
  readonly target: Target
  readonly connectTimeoutMs: number
  /** No connection is free for it yet. */
  isWaiting = true

  readonly #sender: Sender
  readonly #resolve: (outcome: PostOutcome | Promise<PostOutcome>) => void
  readonly #startedMs: number
  // A timer costs 0.1 µs here: Node keeps timers of one length in a list of its own.
  readonly #deadline: NodeJS.Timeout
  #isSettled = false
  #isSent = false
  #status = 0
  #retryAfter: string | null = null
  #encoding: string | null = null
  #chunks: Buffer[] | null = null
  #readBytes = 0

  constructor(
    request: PostRequest,
    target: Target,
    sender: Sender,
    resolve: (outcome: PostOutcome | Promise<PostOutcome>) => void,
  ) {
    this.post = request
    this.target = target
    this.connectTimeoutMs = request.connectTimeoutMs ?? connectTimeoutUsualMs
    this.#sender = sender
    this.#resolve = resolve
    this.#startedMs = sender.monotonicMs()
    this.#deadline = setTimeout(yieldThenExpire, request.timeoutMs, this)
    request.stop?.addEventListener('abort', this)
    if (request.stop?.aborted) queueMicrotask(() => this.handleEvent())
  }

  expire(detail = this.#stage()): void {
    if (this.isWaiting) this.unsend('no connection became free in time')
    else this.fail({ error: 'timeout', detail })
  }

  /** Of `stop`. */
  handleEvent(): void {
    this.expire('cut, because the service was stopped')
  }

  unsend(reason: string): void {
    if (this.#isSettled) return
    const durationMs = this.#finish(false)
    this.#resolve({ kind: 'unsent', reason, durationMs })
  }

  fail({ error, detail, isOurs }: Failure): void {
    if (isOurs) this.unsend(detail ?? error)
    if (this.#isSettled) return
    if (this.post.needsNoBody && this.#status !== 0) {
      this.#respond(false, error === 'timeout')
      return
    }
    const durationMs = this.#finish(false)
    this.#resolve({ kind: 'failure', error, detail, durationMs })
  }

  onRequestStart(): void {
    this.#isSent = true
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    // Informational responses (1xx) come before the one that counts, any number of them.
    if (status < 200) return
    this.#status = status
    // Node's types know no list here, but undici makes one of a header that is sent twice.
    const encoding: string | string[] | undefined = headers['content-encoding']
    this.#encoding = Array.isArray(encoding) ? encoding.join(', ') : (encoding ?? null)
    const retryAfter: string | string[] | undefined = headers['retry-after']
    if (typeof retryAfter === 'string' && retryAfter.length <= retryAfterCharactersMax) {
      this.#retryAfter = retryAfter
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const keptBytes = this.#encoding === null ? this.#textBytesMax : readBytesMax
    this.#chunks ??= []
    if (this.#readBytes < keptBytes) this.#chunks.push(chunk)
    this.#readBytes += chunk.length
    if (this.#readBytes > readBytesMax) this.#respond(false)
  }

  onResponseEnd(): void {
    this.#respond(true)
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(classify(error))
  }

  #respond(isClean: boolean, isLate = false): void {
    if (this.#isSettled) return
    const durationMs = this.#finish(isClean)
    const status = this.#status
    const retryAfter = this.#retryAfter
    const respond = (body: string | null): PostOutcome => {
      const late = isLate ? { isLate } : {}
      return { kind: 'response', status, body, ...late, retryAfter, durationMs }
    }
    const [first, ...rest] = this.#chunks ?? []
    const bytes = first && (rest.length === 0 ? first : Buffer.concat([first, ...rest]))
    if (bytes === undefined) this.#resolve(respond(null))
    else if (this.#encoding === null) this.#resolve(respond(textOf(bytes, this.#textBytesMax)))
    else this.#resolve(this.#sender.decode(this.#encoding, bytes).then(respond))
  }

  #finish(isClean: boolean): number {
    this.#isSettled = true
    clearTimeout(this.#deadline)
    this.post.stop?.removeEventListener('abort', this)
    const durationMs = this.#sender.monotonicMs() - this.#startedMs
    this.#sender.finished(this, isClean)
    return Math.round(durationMs * 100) / 100
  }

  get #textBytesMax(): number {
    return this.post.textBytesMax ?? textBytesUsual
  }

  #stage(): string {
    if (!this.#isSent) return 'connecting'
    return this.#status === 0 ? 'waiting for the response' : 'reading the response'
  }
}

/**
 * After a stall of this process the timers run before the sockets are read: one poll phase
 * first, so that an answer that is already here is not called a timeout.
 */
function yieldThenExpire(request: OutboundRequest): void {
  setImmediate(() => request.expire())
}
