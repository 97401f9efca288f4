import { isIP, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { type Connector, classifyConnect, OutboundError } from '../outbound/index.ts'
import { kindOfOutbound, MailFailure, type MailFailureKind } from './failure.ts'

/** A TCP connection, to an address that the policy allows. @throws MailFailure */
export function openSocket(
  connect: Connector,
  { host, port }: { host: string; port: number },
  timeoutMs: number,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const endpoint = { hostname: host, port: String(port), protocol: 'tcp:' }
    connect(endpoint, timeoutMs, (error, socket) => {
      if (socket) resolve(socket)
      else reject(connectFailure(error))
    })
  })
}

/** TLS over an open connection, which is closed when it does not come about. @throws MailFailure */
export function wrapInTls(socket: Socket, host: string, timeoutMs: number): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const name = host.replace(/\.$/, '')
    // RFC 6066 §3: a server name is never an address; the certificate is judged by `host` then.
    const secured = connectTls({
      socket,
      host: name,
      ...(isIP(name) === 0 && { servername: name }),
    })
    const fail = (kind: MailFailureKind, detail: string | null) => {
      clearTimeout(timer)
      secured.destroy()
      socket.destroy()
      reject(new MailFailure('tls', kind, { detail }))
    }
    const timer = setTimeout(fail, timeoutMs, 'timeout', null)
    secured.once('secureConnect', () => {
      clearTimeout(timer)
      resolve(secured)
    })
    secured.on('error', (error) => fail(...tlsFailureOf(error)))
    secured.once('close', () => fail('closed', null))
  })
}

/** The failure that an error stands for while a connection is made. */
export function connectFailure(error: unknown): MailFailure {
  const failure = error instanceof OutboundError ? error.failure : classifyConnect(error, false)
  return new MailFailure('connect', kindOfOutbound(failure.error), { detail: failure.detail })
}

/** Kind and detail of the failure that an error stands for in a TLS handshake. */
export function tlsFailureOf(error: Error): [MailFailureKind, string | null] {
  const { code = '' } = error as NodeJS.ErrnoException
  // A server that speaks first, and in the clear: what it says is read as a broken TLS record.
  if (/^ERR_SSL_(WRONG_VERSION|PACKET_LENGTH|UNKNOWN_PROTOCOL|UNEXPECTED_MESSAGE)/.test(code)) {
    return ['tls', noTlsHere]
  }
  const { error: reason, detail } = classifyConnect(error, true)
  return [reason === 'tls_error' ? 'tls' : 'closed', detail]
}

const noTlsHere = 'the server does not speak TLS on this port'
