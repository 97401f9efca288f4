import { type Between, listenBetween } from './between.ts'

export interface TcpProxy extends Between {
  /** From now on nothing comes through; what is open stays open. */
  freeze(): void
}

/** Stands in front of a server: in TLS, or to break connections at will. */
export async function startTcpProxy(
  serverPort: number,
  certificate?: { key: string; cert: string },
): Promise<TcpProxy> {
  const proxy = await listenBetween(
    serverPort,
    (client, server) => {
      client.pipe(server)
      server.pipe(client)
    },
    certificate,
  )
  return Object.assign(proxy, {
    freeze() {
      for (const socket of proxy.sockets) socket.unpipe()
    },
  })
}
