export type MailStage = 'connect' | 'tls' | 'login' | 'mail' | 'rcpt' | 'data' | 'message' | 'imap'

export type MailFailureKind =
  | 'refused'
  | 'timeout'
  | 'closed'
  | 'unreachable'
  | 'dns'
  | 'tls'
  | 'blocked'
  | 'protocol'

interface Particulars {
  code?: number | null
  enhanced?: string | null
  response?: string | null
  recipient?: string | null
  certain?: boolean
  detail?: string | null
}

/** What a mail server, or the way to it, did not do. Its message is safe to log, `response` is not. */
export class MailFailure extends Error {
  override name = 'MailFailure'
  readonly stage: MailStage
  readonly kind: MailFailureKind
  /** SMTP reply code. */
  readonly code: number | null
  /** Enhanced status code, as 5.1.1. */
  readonly enhanced: string | null
  /** The server's words: never logged. */
  readonly response: string | null
  /** The recipient that the server refused. */
  readonly recipient: string | null
  /** Certainly nothing was delivered. */
  readonly certain: boolean
  /** What is known beyond the kind, in words of ours: no address, no word of the server. */
  readonly detail: string | null

  constructor(stage: MailStage, kind: MailFailureKind, more: Particulars = {}) {
    super(`${stage}: ${kind}${more.code ? ` ${more.code}` : ''}`)
    this.stage = stage
    this.kind = kind
    this.code = more.code ?? null
    this.enhanced = more.enhanced ?? null
    this.response = more.response == null ? null : toPlainText(more.response)
    this.recipient = more.recipient ?? null
    this.certain = more.certain ?? true
    this.detail = more.detail ?? null
  }
}

const charactersMax = 2000

/** What a server said, fit to be stored and shown: one line, and nothing that moves a cursor. */
export const toPlainText = (words: string): string =>
  words
    .slice(0, charactersMax)
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()

/** @param error of an outbound connection or request */
export const kindOfOutbound = (error: string): MailFailureKind => kinds[error] ?? 'unreachable'

const kinds: Record<string, MailFailureKind> = {
  timeout: 'timeout',
  dns_error: 'dns',
  connection_reset: 'closed',
  tls_error: 'tls',
  blocked_address: 'blocked',
}
