import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'

export interface TcpProxy extends AsyncDisposable {
  port: number
  readonly connections: number
  /** Breaks what is open. */
  drop(): void
  /** From now on nothing comes through; what is open stays open. */
  freeze(): void
}

/** Stands in front of a server: in TLS, or to break connections at will. */
export async function startTcpProxy(
  serverPort: number,
  certificate?: { key: string; cert: string },
): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let connections = 0
  const pass = (client: Socket) => {
    connections++
    const server = connect(serverPort, '127.0.0.1')
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(from)
      from.on('error', () => undefined)
      from.on('close', () => to.destroy())
      from.pipe(to)
    }
  }
  const listener = certificate ? createTlsServer(certificate, pass) : createServer(pass)
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const drop = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (listener.address() as AddressInfo).port,
    get connections() {
      return connections
    },
    drop,
    freeze() {
      for (const socket of sockets) socket.unpipe()
    },
    async [Symbol.asyncDispose]() {
      drop()
      listener.close()
      await once(listener, 'close')
    },
  }
}
