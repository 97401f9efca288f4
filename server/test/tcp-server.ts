import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'

export interface TcpServer extends AsyncDisposable {
  port: number
  /** How many have been made. */
  readonly connections: number
  sockets: ReadonlySet<Socket>
}

/** Listens on loopback, in TLS where there is a certificate. What breaks is nobody's failure. */
export async function startTcpServer(
  accept: (socket: Socket, connection: number) => void,
  certificate?: { key: string; cert: string },
): Promise<TcpServer> {
  const sockets = new Set<Socket>()
  let connections = 0
  const welcome = (socket: Socket) => {
    connections++
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    accept(socket, connections)
  }
  const listener = certificate ? createTlsServer(certificate, welcome) : createServer(welcome)
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  return {
    port: (listener.address() as AddressInfo).port,
    get connections() {
      return connections
    },
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      listener.close()
      await once(listener, 'close')
    },
  }
}
