import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { ImapSession } from './imap-session.ts'
import type { ListeningServer } from './smtp-server.ts'
import type { MailStore } from './store.ts'

export interface ImapServerOptions {
  port?: number
  capabilities?: string[]
  onConnection?: () => void
}

export const usualCapabilities = [
  ...['IMAP4rev1', 'AUTH=PLAIN', 'AUTH=XOAUTH2', 'SASL-IR', 'LITERAL+', 'ID'],
  ...['IDLE', 'NAMESPACE', 'SPECIAL-USE', 'UIDPLUS', 'UNSELECT'],
]

/** Shows the mail of a store to mail programs. */
export async function startImapServer(
  store: MailStore,
  { port = 0, capabilities = usualCapabilities, onConnection }: ImapServerOptions = {},
): Promise<ListeningServer> {
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    onConnection?.()
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    // A client that goes in the middle of something is no error of the server.
    new ImapSession(socket, store, capabilities.join(' ')).serve().catch(() => socket.destroy())
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
