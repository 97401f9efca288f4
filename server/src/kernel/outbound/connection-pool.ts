import { Connection, type Origin } from './connection.ts'
import type { Connector } from './connector.ts'
import type { OutboundRequest } from './outbound-request.ts'

export interface ConnectionPoolOptions {
  open: Connector
  monotonicMs: () => number
  connectionsMax: number
}

/** A connection in constant use would never notice that its host name moved. */
const ageMaxMs = 60_000

/**
 * Keep-alive connections, capped in number. When so many are open, an idle one of another origin is
 * closed; when none is idle, origins take turns at what comes free. Invariant: while an origin is in
 * `#crowded`, no connection is idle.
 */
export class ConnectionPool {
  readonly #options: ConnectionPoolOptions
  readonly #origins = new Map<string, Origin>()
  readonly #busy = new Map<OutboundRequest, Connection>()
  /** All idle connections, the longest idle first. */
  readonly #idle = new Set<Connection>()
  /** Origins that wait because so many are open as may be, in turn. */
  readonly #crowded = new Set<Origin>()
  #total = 0
  #closed: PromiseWithResolvers<void> | null = null

  constructor(options: ConnectionPoolOptions) {
    this.#options = options
  }

  send(request: OutboundRequest): void {
    if (this.#closed !== null) {
      request.unsend('the sender is closed')
      return
    }
    const origin = this.#getOrigin(request.target.origin)
    const idle = origin.idle.pop()
    if (idle === undefined) {
      origin.waiting.add(request)
      this.#grow(origin)
    } else {
      this.#idle.delete(idle)
      this.#sendOn(idle, request)
    }
  }

  /** Takes back what a finished request held: its connection, or its place in the queue. */
  finished(request: OutboundRequest, isClean: boolean): void {
    const connection = this.#busy.get(request)
    if (connection === undefined) {
      this.#leaveQueue(request)
      return
    }
    this.#busy.delete(request)
    connection.request = null
    const isYoung = this.#options.monotonicMs() - connection.openedMs < ageMaxMs
    const isReusable = isClean && isYoung && this.#closed === null
    if (isReusable && connection.origin.waiting.size === 0 && this.#crowded.size === 0) {
      this.#park(connection)
    } else {
      // undici is still inside its parser here, where starting another request is not safe.
      queueMicrotask(() => this.#passOn(connection, isReusable))
    }
  }

  /** Closes idle connections at once and resolves when the last request has ended. */
  close(): Promise<void> {
    this.#closed ??= Promise.withResolvers()
    for (const connection of this.#idle) this.#drop(connection)
    if (this.#origins.size === 0) this.#closed.resolve()
    return this.#closed.promise
  }

  #passOn(connection: Connection, isReusable: boolean): void {
    const { origin } = connection
    const next = first(this.#crowded)
    if (!isReusable || (next !== undefined && next !== origin)) {
      this.#drop(connection)
      if (next !== undefined) this.#grow(next)
      this.#grow(origin)
      return
    }
    const request = this.#takeWaiting(origin)
    if (request === undefined) this.#park(connection)
    else this.#sendOn(connection, request)
  }

  #sendOn(connection: Connection, request: OutboundRequest): void {
    this.#busy.set(request, connection)
    connection.send(request)
  }

  /** Opens as many connections as wait for one and fit. */
  #grow(origin: Origin): void {
    const { open, monotonicMs, connectionsMax } = this.#options
    for (;;) {
      if (this.#total >= connectionsMax && origin.waiting.size > 0 && !this.#dropLongestIdle()) {
        this.#crowded.add(origin)
        return
      }
      const request = this.#takeWaiting(origin)
      if (request === undefined) return
      origin.open++
      this.#total++
      this.#sendOn(new Connection(origin, open, monotonicMs, this.#lostWhileIdle), request)
    }
  }

  /** Served or not, an origin goes to the end of the turns, or leaves when nothing waits. */
  #takeWaiting(origin: Origin): OutboundRequest | undefined {
    const request = first(origin.waiting)
    if (request !== undefined) origin.waiting.delete(request)
    if (this.#crowded.delete(origin) && origin.waiting.size > 0) this.#crowded.add(origin)
    return request
  }

  #leaveQueue(request: OutboundRequest): void {
    const origin = this.#origins.get(request.target.origin)
    if (origin === undefined) return
    origin.waiting.delete(request)
    if (origin.waiting.size > 0) return
    this.#crowded.delete(origin)
    this.#forgetUnused(origin)
  }

  #park(connection: Connection): void {
    connection.origin.idle.push(connection)
    this.#idle.add(connection)
  }

  #dropLongestIdle(): boolean {
    const connection = first(this.#idle)
    if (connection === undefined) return false
    this.#drop(connection)
    return true
  }

  readonly #lostWhileIdle = (connection: Connection): void => {
    if (this.#idle.has(connection)) this.#drop(connection)
  }

  #drop(connection: Connection): void {
    const { origin } = connection
    connection.drop()
    origin.open--
    this.#total--
    if (this.#idle.delete(connection)) origin.idle.splice(origin.idle.indexOf(connection), 1)
    this.#forgetUnused(origin)
  }

  #getOrigin(name: string): Origin {
    const known = this.#origins.get(name)
    if (known !== undefined) return known
    const origin: Origin = { name, open: 0, idle: [], waiting: new Set() }
    this.#origins.set(name, origin)
    return origin
  }

  #forgetUnused(origin: Origin): void {
    if (origin.open > 0 || origin.waiting.size > 0) return
    this.#origins.delete(origin.name)
    if (this.#origins.size === 0) this.#closed?.resolve()
  }
}

function first<Item>(items: Set<Item>): Item | undefined {
  return items.values().next().value
}
