import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'

export interface Between extends AsyncDisposable {
  port: number
  /** How many have been made. */
  readonly connections: number
  sockets: ReadonlySet<Socket>
  /** Breaks what is open. */
  drop(): void
}

/**
 * Listens in front of a server, in TLS where there is a certificate. `join` says what passes from one
 * socket of a pair to the other; when one closes, so does the other.
 */
export async function listenBetween(
  serverPort: number,
  join: (client: Socket, server: Socket, connection: number) => void,
  certificate?: { key: string; cert: string },
): Promise<Between> {
  const sockets = new Set<Socket>()
  let connections = 0
  const accept = (client: Socket) => {
    connections++
    const server = connect(serverPort, '127.0.0.1')
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(from)
      from.on('error', () => undefined)
      from.on('close', () => to.destroy())
    }
    join(client, server, connections)
  }
  const listener = certificate ? createTlsServer(certificate, accept) : createServer(accept)
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
    sockets,
    drop,
    async [Symbol.asyncDispose]() {
      drop()
      listener.close()
      await once(listener, 'close')
    },
  }
}
