import { errors } from 'undici'
import { codeOf } from '../errors.ts'

type FailureKind =
  | 'timeout'
  | 'dns_error'
  | 'connection_refused'
  | 'connection_reset'
  | 'tls_error'
  | 'network_error'
  | 'blocked_address'

/** Why an attempt got no answer. `detail` is safe to show: no address, port or text of the peer. */
export interface Failure {
  error: FailureKind
  detail: string | null
  /** This process could not even try: it says nothing about the receiver. */
  isOurs?: true
}

/** An error of our own that already knows its place in the closed list. */
export class OutboundError extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.error)
    this.name = 'OutboundError'
    this.failure = failure
  }
}

/** Errors of sockets and of undici after the connection stands. */
export function classify(error: unknown): Failure {
  if (error instanceof OutboundError) return error.failure
  const code = codeOf(error)
  if (/^(ERR_SSL|ERR_TLS)_/.test(code) || code === 'EPROTO') return tlsFailure(code)
  if (isInvalidResponse(error, code)) {
    return { error: 'network_error', detail: 'the response is not valid HTTP' }
  }
  return failureByCode[code] ?? { error: 'network_error', detail: null }
}

/** Errors while connecting. With several addresses, the one that says most about the receiver. */
export function classifyConnect(error: unknown, duringTls: boolean): Failure {
  if (error instanceof AggregateError) {
    const failures = error.errors.map((one) => classify(one))
    const telling = failures.find((one) => one.error !== 'network_error')
    return telling ?? failures[0] ?? classify(undefined)
  }
  const code = codeOf(error)
  // Certificate errors carry OpenSSL's own names, too many to list; socket errors are the few.
  const isTls = duringTls && failureByCode[code] === undefined && !(error instanceof OutboundError)
  return isTls ? tlsFailure(code) : classify(error)
}

/** Name servers answered that there is no such name, or nothing of the kind that was asked for. */
export const saysNone = (error: unknown) => ['ENOTFOUND', 'ENODATA'].includes(codeOf(error))

/** Errors of a DNS question: of `Promise.any` over the families, or one of the system's. */
export function classifyLookup(error: unknown): Failure {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  return { error: 'dns_error', detail: lookupDetails[codeOf(first)] ?? null }
}

const unreachable: Failure = { error: 'network_error', detail: 'the network is unreachable' }
const noSocket: Failure = {
  error: 'network_error',
  detail: 'too many open connections on this side',
  isOurs: true,
}
const reset: Failure = { error: 'connection_reset', detail: null }

const failureByCode: Record<string, Failure> = {
  ECONNREFUSED: { error: 'connection_refused', detail: null },
  ECONNRESET: reset,
  EPIPE: reset,
  ETIMEDOUT: { error: 'timeout', detail: 'connecting' },
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  EADDRNOTAVAIL: unreachable,
  EMFILE: noSocket,
  ENFILE: noSocket,
  UND_ERR_SOCKET: {
    error: 'connection_reset',
    detail: 'the connection was closed before the response ended',
  },
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: {
    error: 'connection_reset',
    detail: 'the connection was closed before the response ended',
  },
  UND_ERR_HEADERS_OVERFLOW: {
    error: 'network_error',
    detail: 'the response headers are too large',
  },
  UND_ERR_INVALID_ARG: { error: 'network_error', detail: 'the request is not valid HTTP' },
  UND_ERR_NOT_SUPPORTED: { error: 'network_error', detail: 'the request is not valid HTTP' },
}

const tlsDetails: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate chain ends in an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate chain ends in an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate chain is incomplete',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host name',
}

const lookupDetails: Record<string, string> = {
  ENOTFOUND: 'the host name does not exist',
  ENODATA: 'the host name has no address',
  ETIMEOUT: 'the name servers did not answer',
  ESERVFAIL: 'the name servers failed',
  ECONNREFUSED: 'the name servers did not answer',
  EAI_AGAIN: 'the name servers did not answer',
}

function tlsFailure(code: string): Failure {
  return { error: 'tls_error', detail: tlsDetails[code] ?? 'the TLS handshake failed' }
}

/** undici has no code of its own for an unasked 101: it is a socket error called `bad …`. */
function isInvalidResponse(error: unknown, code: string): boolean {
  if (error instanceof errors.HTTPParserError) return true
  return code === 'UND_ERR_SOCKET' && error instanceof Error && error.message.startsWith('bad ')
}
