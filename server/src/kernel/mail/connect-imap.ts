import { ImapFlow } from 'imapflow'
import {
  type AddressPolicy,
  findLiteral,
  guardLookup,
  judgeAddress,
  type LookupFn,
} from '../outbound/index.ts'
import { MailFailure } from './failure.ts'
import { OpenImap } from './imap-connection.ts'
import { imapFailure } from './imap-failure.ts'
import type { ImapConnection, MailServer } from './mail.ts'
import type { MailTimeouts } from './timeouts.ts'

/** No answer is larger than what a fetch asks for, and that is bounded; this is for hostile ones. */
const literalBytesMax = 32 * 1024 * 1024
const responseBytesMax = 40 * 1024 * 1024

/**
 * From nothing to a connection that is logged in: a new client each time, since imapflow's cannot be
 * used again. @throws MailFailure
 */
export async function connectImap(
  { policy, lookup }: { policy: AddressPolicy; lookup: LookupFn },
  { host, port, security, username, credential }: MailServer,
  timeouts: MailTimeouts,
): Promise<ImapConnection> {
  const literal = findLiteral(host)
  if (literal !== undefined && !judgeAddress(policy, literal)) {
    throw new MailFailure('connect', 'blocked')
  }
  const client = new ImapFlow({
    ...{ host: literal ?? host, port, secure: security === 'tls' },
    doSTARTTLS: security === 'starttls',
    auth: {
      user: username,
      ...(credential.kind === 'password'
        ? { pass: credential.password }
        : { accessToken: credential.accessToken }),
    },
    // imapflow uses it for connections without TLS, too: Node connects to exactly what it answers.
    tls: { lookup: guardLookup(policy, lookup) },
    connectionTimeout: timeouts.connectMs + timeouts.tlsMs,
    greetingTimeout: timeouts.greetingMs,
    // The deadlines are those of OpenImap; this one is only for what they have overlooked.
    socketTimeout: 4 * timeouts.idleMs,
    ...{ maxLiteralSize: literalBytesMax, maxLineLength: literalBytesMax },
    maxResponseSize: responseBytesMax,
    ...{ disableAutoIdle: true, disableBinary: true, disableCompression: true },
    clientInfo: { name: 'Outrider', version: '', vendor: '', 'support-url': '' },
    // It would log addresses and what servers say.
    logger: false,
  })
  // What breaks an open connection also fails the command under way; unheard it would end the process.
  client.on('error', () => undefined)
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    client.close()
  }, openingMs(timeouts))
  try {
    await client.connect()
    return new OpenImap(client, timeouts)
  } catch (error) {
    client.close()
    throw isLate ? new MailFailure('connect', 'timeout') : imapFailure(error, true)
  } finally {
    clearTimeout(timer)
  }
}

/** A login is a handful of commands. */
const openingMs = ({ connectMs, tlsMs, greetingMs, commandMs }: MailTimeouts) =>
  connectMs + tlsMs + greetingMs + commandMs
