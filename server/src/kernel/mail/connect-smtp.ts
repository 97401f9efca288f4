import { isIPv6, type Socket } from 'node:net'
import type { Connector } from '../outbound/index.ts'
import { MailFailure } from './failure.ts'
import type { MailServer, SmtpConnection } from './mail.ts'
import { openSocket, wrapInTls } from './open-socket.ts'
import { refusal } from './reply.ts'
import { LoggedInSmtp } from './smtp-connection.ts'
import { type Extensions, logIn, sayHello } from './smtp-login.ts'
import { SmtpWire } from './smtp-wire.ts'
import type { MailTimeouts } from './timeouts.ts'

/** From nothing to a connection that is logged in. @throws MailFailure */
export async function connectSmtp(
  connect: Connector,
  server: MailServer,
  { timeouts, monotonicMs }: { timeouts: MailTimeouts; monotonicMs: () => number },
): Promise<SmtpConnection> {
  const tcp = await openSocket(connect, server, timeouts.connectMs)
  const name = nameOf(tcp)
  const isTls = server.security === 'tls'
  const socket = isTls ? await wrapInTls(tcp, server.host, timeouts.tlsMs) : tcp
  let wire = new SmtpWire(socket)
  try {
    const greeting = await wire.read('connect', timeouts.greetingMs)
    if (greeting.code !== 220) throw refusal('connect', greeting)
    let extensions = await sayHello(wire, name, timeouts.commandMs)
    if (server.security === 'starttls') {
      wire = await startTls(wire, server.host, extensions, timeouts)
      // What was said in the clear is forgotten (RFC 3207 §4.2).
      extensions = await sayHello(wire, name, timeouts.commandMs)
    }
    await logIn(wire, server, extensions, timeouts.commandMs)
    return new LoggedInSmtp(wire, extensions, { timeouts, monotonicMs })
  } catch (failure) {
    wire.abort('closed')
    throw failure
  }
}

async function startTls(
  wire: SmtpWire,
  host: string,
  extensions: Extensions,
  timeouts: MailTimeouts,
): Promise<SmtpWire> {
  // Somebody between us and the server could have taken it out: never on in the clear.
  if (!extensions.has('STARTTLS')) {
    throw new MailFailure('tls', 'protocol', { detail: 'the server does not offer STARTTLS' })
  }
  wire.write('STARTTLS\r\n')
  const reply = await wire.read('tls', timeouts.commandMs)
  if (reply.code !== 220) throw refusal('tls', reply)
  // Said in the clear, it would be taken for the first words under TLS.
  if (wire.hasUnasked) throw new MailFailure('tls', 'protocol')
  return new SmtpWire(await wrapInTls(wire.release(), host, timeouts.tlsMs))
}

/** An address literal (RFC 5321 §4.1.3): the name of this machine is nobody's business. */
function nameOf({ localAddress = '127.0.0.1' }: Socket): string {
  return isIPv6(localAddress) ? `[IPv6:${localAddress}]` : `[${localAddress}]`
}
