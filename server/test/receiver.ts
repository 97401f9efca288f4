import { once } from 'node:events'
import {
  createServer as createHttpServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { createSignal } from './signal.ts'

/** A request as it came over the wire. */
interface Received {
  method: string
  /** Path and query. */
  url: string
  headers: IncomingHttpHeaders
  body: Buffer
  /** Which connection of the receiver it came on, counted from 1. */
  connection: number
}

export type Answer = (received: Received, response: ServerResponse) => void | Promise<void>

export interface Receiver extends AsyncDisposable {
  url: string
  port: number
  requests: Received[]
  /** How many connections were ever accepted. */
  readonly connections: number
  /** The next request not handed out yet, also one that is already here. */
  next(): Promise<Received>
  /** Resolves with the first `count` requests once they are here. */
  waitFor(count: number): Promise<Received[]>
  /** Closes what is open now and resolves when it is closed; new connections are welcome. */
  dropConnections(): Promise<void>
  close(): Promise<void>
}

export interface ReceiverOptions {
  host?: string
  port?: number
  tls?: { key: string; cert: string }
  onConnection?: (socket: Socket) => void
}

/** A real HTTP server on loopback that records what it gets; answers an empty 200 by default. */
export async function startReceiver(
  answer: Answer = answerWith(200),
  options: ReceiverOptions = {},
): Promise<Receiver> {
  const { host = '127.0.0.1', port = 0, tls, onConnection } = options
  const requests: Received[] = []
  const arrival = createSignal()
  const sockets = new Set<Socket>()
  const connectionNumbers = new WeakMap<Socket, number>()
  let connections = 0
  let handedOut = 0

  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const received: Received = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: await buffer(request),
      connection: connectionNumbers.get(request.socket) ?? 0,
    }
    requests.push(received)
    arrival.raise()
    await answer(received, response)
  }
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    receive(request, response).catch((error: Error) => response.destroy(error))
  }
  const server: Server =
    tls === undefined ? createHttpServer(listener) : createHttpsServer(tls, listener)
  server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
    connections++
    connectionNumbers.set(socket, connections)
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    onConnection?.(socket)
  })
  server.listen(port, host)
  await once(server, 'listening')
  const bound = (server.address() as AddressInfo).port

  const close = async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    port: bound,
    requests,
    get connections() {
      return connections
    },
    next() {
      const at = handedOut++
      return arrival.until(() => requests[at])
    },
    waitFor: (count) => arrival.until(() => requests.length >= count && requests.slice(0, count)),
    async dropConnections() {
      const closed = [...sockets].map((socket) => once(socket, 'close'))
      server.closeAllConnections()
      await Promise.all(closed)
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Answers every request alike. */
export function answerWith(
  status: number,
  body: string | Buffer = '',
  headers: Record<string, string> = {},
): Answer {
  return (_received, response) => {
    response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers }).end(body)
  }
}

/** Answers the first request with the first answer and so on; the last one repeats. */
export function answerInTurn(...answers: [Answer, ...Answer[]]): Answer {
  let at = 0
  return (received, response) => {
    const answer = answers[Math.min(at++, answers.length - 1)]
    return answer?.(received, response)
  }
}

const ENDLESS_CHUNK = Buffer.alloc(64 * 1024, 'endless ')

/** Receivers nobody wants, by what they do. */
export const hostile = {
  hangBeforeHeaders: (): Answer => () => {},

  hangAfterHeaders: (): Answer => (_received, response) => {
    response.writeHead(200).flushHeaders()
  },

  /** One byte every `everyMs`, for ever. */
  drip: (everyMs: number): Answer => {
    return (_received, response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write('.'), everyMs)
      response.on('close', () => clearInterval(timer))
    }
  },

  endlessBody: (): Answer => (_received, response) => {
    const fill = () => {
      while (!response.destroyed && response.write(ENDLESS_CHUNK));
    }
    response.on('drain', fill)
    fill()
  },

  /** A few kB on the wire that become `decodedBytes`. */
  gzipBomb: (decodedBytes: number): Answer => {
    const body = gzipSync(Buffer.alloc(decodedBytes, 'a'))
    return answerWith(200, body, { 'content-encoding': 'gzip' })
  },

  manyInformational: (count: number): Answer => {
    return (_received, response) => {
      for (let sent = 0; sent < count; sent++) response.writeProcessing()
      response.writeHead(200).end('done')
    }
  },

  unaskedContinue: (): Answer => (_received, response) => {
    response.writeContinue()
    response.writeEarlyHints({ link: '</style.css>; rel=preload' })
    response.writeContinue()
    response.writeHead(200).end('done')
  },

  resetBeforeHeaders: (): Answer => (_received, response) => {
    response.socket?.resetAndDestroy()
  },

  resetMidBody: (): Answer => (_received, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('half', () => response.socket?.resetAndDestroy())
  },

  closeMidBody: (): Answer => (_received, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('half', () => response.socket?.end())
  },

  closeWithoutResponse: (): Answer => (_received, response) => {
    response.socket?.end()
  },

  redirectTo: (location: string, status = 302): Answer => {
    return answerWith(status, '', { location })
  },

  http10WithoutLength: (body: string): Answer => {
    return (_received, response) => {
      response.socket?.end(`HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\n${body}`)
    }
  },

  hugeHeaders: (): Answer => (_received, response) => {
    response.socket?.write(`HTTP/1.1 200 OK\r\nX-Huge: ${'h'.repeat(1024 * 1024)}\r\n\r\n`)
  },

  notHttp: (): Answer => (_received, response) => {
    response.socket?.end('220 mail.example.com ESMTP\r\n')
  },
}

/** For `onConnection`: resets before a byte is read. */
export const resetAtAccept = (socket: Socket) => socket.resetAndDestroy()
