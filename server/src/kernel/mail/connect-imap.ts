import { ImapFlow } from 'imapflow'
import {
  type AddressPolicy,
  findLiteral,
  guardLookup,
  judgeAddress,
  type LookupFn,
} from '../outbound/index.ts'
import { AnswerLimit, answerBytesMax } from './answer-limit.ts'
import { MailFailure } from './failure.ts'
import { OpenImap } from './imap-connection.ts'
import { imapFailure } from './imap-failure.ts'
import type { ImapConnection, MailServer } from './mail.ts'
import type { MailTimeouts } from './timeouts.ts'

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
    // More than a fetch asks for of one mail, and no more: words take up a hundred times as much when read.
    ...{ maxLiteralSize: answerBytesMax, maxLineLength: answerBytesMax },
    maxResponseSize: answerBytesMax,
    ...{ disableAutoIdle: true, disableBinary: true, disableCompression: true },
    clientInfo: { name: 'Outrider', version: '', vendor: '', 'support-url': '' },
    // It would log addresses and what servers say. AnswerLimit alone is told of each entry.
    ...{ logger: false, emitLogs: true },
  })
  // It hears of errors, too: unheard, what breaks an open connection would end the process.
  const answers = new AnswerLimit(client)
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    client.close()
  }, openingMs(timeouts))
  try {
    await client.connect()
    return new OpenImap(client, answers, timeouts)
  } catch (error) {
    client.close()
    if (isLate) throw new MailFailure('connect', 'timeout')
    throw answers.isExceeded ? new MailFailure('connect', 'protocol') : imapFailure(error, true)
  } finally {
    clearTimeout(timer)
  }
}

/** A login is a handful of commands. */
const openingMs = ({ connectMs, tlsMs, greetingMs, commandMs }: MailTimeouts) =>
  connectMs + tlsMs + greetingMs + commandMs
