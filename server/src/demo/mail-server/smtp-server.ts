import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { Account, MailStore } from './store.ts'

export interface ListeningServer extends AsyncDisposable {
  port: number
}

/** Takes mail from the accounts of a store; more options are those of the smtp-server package. */
export async function startSmtpServer(
  store: MailStore,
  { port = 0, ...options }: SMTPServerOptions & { port?: number } = {},
): Promise<ListeningServer> {
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    authMethods: ['PLAIN', 'LOGIN', 'XOAUTH2'],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    closeTimeout: 100,
    onAuth(auth, _session, callback) {
      const account = store.find(auth.username ?? '')
      const isRight =
        auth.method === 'XOAUTH2'
          ? account?.accessToken !== undefined && account.accessToken === auth.accessToken
          : account?.password === auth.password
      if (account && isRight) callback(null, { user: account })
      else callback(refuse(535, '5.7.8 Username and password not accepted'))
    },
    onRcptTo({ address }, _session, callback) {
      if (store.takes(address)) callback()
      else callback(refuse(550, '5.1.1 No such user here'))
    },
    onData(stream, { envelope, user }, callback) {
      buffer(stream).then((source) => {
        if (stream.sizeExceeded) return callback(refuse(552, '5.3.4 Message too big'))
        const from = envelope.mailFrom ? envelope.mailFrom.address : ''
        const to = envelope.rcptTo.map(({ address }) => address)
        store.submit(user as Account, { from, to, source })
        callback(null, '2.0.0 Ok: queued')
      }, callback)
    },
    ...options,
  })
  // What goes wrong on one connection ends that one.
  server.on('error', () => undefined)
  server.listen(port, '127.0.0.1')
  await once(server.server, 'listening')
  return {
    port: (server.server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(resolve)),
  }
}

const refuse = (responseCode: number, message: string) =>
  Object.assign(new Error(message), { responseCode })
