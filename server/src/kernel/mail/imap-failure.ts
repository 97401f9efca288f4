import { classifyConnect, OutboundError } from '../outbound/index.ts'
import { MailFailure, type MailFailureKind } from './failure.ts'
import { connectFailure, tlsFailureOf } from './open-socket.ts'

/** What imapflow adds to its errors. */
interface ImapError extends Error {
  code?: string
  authenticationFailed?: boolean
  tlsFailed?: boolean
  /** NO or BAD. */
  responseStatus?: string
  responseText?: string
  /** The server's words about a login. */
  response?: unknown
  serverResponseCode?: string
  /** The server's words of a BYE. */
  reason?: string
}

/** What went wrong, of an error that imapflow rejected with. */
export function imapFailure(error: unknown, isConnecting: boolean): MailFailure {
  if (error instanceof MailFailure) return error
  const cause = error as ImapError
  const response = wordsOf(cause)
  if (cause.authenticationFailed) return new MailFailure('login', 'refused', { response })
  if (cause.tlsFailed && !cause.code) {
    return new MailFailure('tls', 'protocol', { detail: 'the server does not offer STARTTLS' })
  }
  const kind = kinds[cause.code ?? '']
  const stage = isConnecting ? 'connect' : 'imap'
  if (kind) return new MailFailure(cause.tlsFailed ? 'tls' : stage, kind, { response })
  if (cause.responseStatus) return new MailFailure(stage, 'refused', { response })
  if (!isConnecting) return new MailFailure(stage, cause.code ? 'closed' : 'protocol')
  return connectingFailure(cause)
}

function connectingFailure(error: ImapError): MailFailure {
  if (error instanceof OutboundError) return connectFailure(error)
  const isTls = error.tlsFailed || classifyConnect(error, true).error === 'tls_error'
  if (!isTls) return connectFailure(error)
  const [kind, detail] = tlsFailureOf(error)
  return new MailFailure('tls', kind, { detail })
}

function wordsOf({ serverResponseCode, response, responseText, reason }: ImapError) {
  // After a login it is the whole line, else only its text.
  if (typeof response === 'string') return response.replace(/^\S+ (NO|BAD) /, '')
  const words = responseText ?? reason ?? null
  return serverResponseCode ? `[${serverResponseCode}] ${words ?? ''}`.trimEnd() : words
}

const kinds: Record<string, MailFailureKind> = {
  CONNECT_TIMEOUT: 'timeout',
  GREETING_TIMEOUT: 'timeout',
  UPGRADE_TIMEOUT: 'timeout',
  ETIMEOUT: 'timeout',
  NoConnection: 'closed',
  EConnectionClosed: 'closed',
  StateLogout: 'closed',
  ClosedAfterConnectText: 'closed',
  ClosedAfterConnectTLS: 'closed',
  ETHROTTLE: 'refused',
  STARTTLS_INJECTION: 'protocol',
}
