import { Client } from 'undici'
import type { Connector } from './connector.ts'
import type { OutboundRequest } from './outbound-request.ts'
import { UnaskedContinue } from './unasked-continue.ts'

/** Scheme, host and port, with the connections to it and the requests that wait for one. */
export interface Origin {
  name: string
  open: number
  idle: Connection[]
  waiting: Set<OutboundRequest>
}

/**
 * One place for a connection to an origin, with at most one request on it. The socket is opened
 * when the first request needs it.
 */
export class Connection {
  readonly origin: Origin
  request: OutboundRequest | null = null
  openedMs = 0
  readonly #client: Client
  #giveUpOpening: (() => void) | null = null
  #responses: UnaskedContinue | null = null

  constructor(
    origin: Origin,
    open: Connector,
    monotonicMs: () => number,
    lostWhileIdle: (connection: Connection) => void,
  ) {
    this.origin = origin
    this.#client = new Client(origin.name, {
      pipelining: 1,
      // The request's own deadline covers these, and a timer less is a timer less.
      headersTimeout: 0,
      bodyTimeout: 0,
      // Many servers close after 5 s without saying so; a longer hint of theirs is believed.
      keepAliveTimeout: 4_000,
      keepAliveMaxTimeout: 60_000,
      connect: (options, callback) => {
        this.openedMs = monotonicMs()
        this.#giveUpOpening = open(options, this.request?.connectTimeoutMs ?? 0, (...result) => {
          if (result[0] === null) this.#responses = new UnaskedContinue(result[1])
          callback(...result)
        })
      },
    })
    this.#client.on('disconnect', () => {
      if (this.request === null) lostWhileIdle(this)
    })
  }

  send(request: OutboundRequest): void {
    this.request = request
    request.isWaiting = false
    this.#responses?.expectResponse()
    const { headers, body } = request.post
    this.#client.dispatch({ method: 'POST', path: request.target.path, headers, body }, request)
  }

  drop(): void {
    this.#giveUpOpening?.()
    void this.#client.destroy()
  }
}
