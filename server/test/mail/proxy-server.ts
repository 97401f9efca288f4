import { connect, type Socket } from 'node:net'
import { startTcpServer, type TcpServer } from '../tcp-server.ts'

export interface ProxyServer extends TcpServer {
  /** Of both sides. */
  sockets: ReadonlySet<Socket>
  /** Breaks what is open. */
  drop(): void
}

/**
 * Listens in front of a server, in TLS where there is a certificate. `join` says what passes from one
 * socket of a pair to the other; when one closes, so does the other.
 */
export async function startProxy(
  serverPort: number,
  join: (client: Socket, server: Socket, connection: number) => void,
  certificate?: { key: string; cert: string },
): Promise<ProxyServer> {
  const sockets = new Set<Socket>()
  const front = await startTcpServer((client, connection) => {
    const server = connect(serverPort, '127.0.0.1')
    server.on('error', () => undefined)
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(from)
      from.on('close', () => to.destroy())
    }
    join(client, server, connection)
  }, certificate)
  return Object.assign(front, {
    sockets,
    drop() {
      for (const socket of sockets) socket.destroy()
    },
  })
}
