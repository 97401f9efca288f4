import { type ProxyServer, startProxy } from './proxy-server.ts'

export interface TcpProxy extends ProxyServer {
  /** From now on nothing comes through what is open; it stays open. */
  freeze(): void
  /** The same, also of what is opened from now on. */
  freezeAll(): void
  /** What is opened from now on comes through; what was frozen stays so. */
  heal(): void
}

/** Stands in front of a server: in TLS, or to break connections at will. */
export async function startTcpProxy(
  serverPort: number,
  certificate?: { key: string; cert: string },
): Promise<TcpProxy> {
  let isFrozen = false
  const proxy = await startProxy(
    serverPort,
    (client, server) => {
      if (isFrozen) return
      client.pipe(server)
      server.pipe(client)
    },
    certificate,
  )
  const freeze = () => {
    for (const socket of proxy.sockets) socket.unpipe()
  }
  return Object.assign(proxy, {
    freeze,
    freezeAll() {
      isFrozen = true
      freeze()
    },
    heal() {
      isFrozen = false
    },
  })
}
