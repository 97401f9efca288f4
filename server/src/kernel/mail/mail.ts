import type { MailFailure } from './failure.ts'

/** ctx.mail: the network as far as mail goes; an argument, so that the simulation can replace it. */
export interface MailNetwork {
  /** Connects, greets, starts TLS, logs in. @throws MailFailure */
  connectSmtp(server: MailServer): Promise<SmtpConnection>
  /** Logs in to a mailbox to read it. @throws MailFailure */
  connectImap(server: MailServer): Promise<ImapConnection>
}

export interface MailServer {
  host: string
  port: number
  security: 'tls' | 'starttls' | 'none'
  username: string
  credential: { kind: 'password'; password: string } | { kind: 'oauth2'; accessToken: string }
}

export interface Envelope {
  from: string
  to: string[]
  sizeBytes: number
  /** The message has header fields that are not ASCII. Addresses speak for themselves. */
  utf8: boolean
}

export interface SmtpConnection {
  readonly isOpen: boolean
  /**
   * MAIL, RCPT … and DATA up to the 354: nothing of the message is on the wire. A refusal leaves the
   * connection usable, as `isOpen` says; all recipients are taken or none. A failure of the stage
   * `connect` says that the connection had died before: a new one may do.
   *
   * @throws MailFailure, always `certain`
   */
  begin(envelope: Envelope): Promise<void>
  /**
   * The message (lines end in CRLF; dots are stuffed here) and the final dot.
   *
   * @param next what `begin` is called with next: it may leave with the end of this message (RFC 2920),
   *   and the connection is then of no use for another one
   * @throws MailFailure, `certain` when the server refused it or the connection broke before the dot
   */
  finish(message: Buffer, next?: Envelope): Promise<void>
  /** Between `begin` and `finish` it breaks off: certainly not sent. */
  close(): Promise<void>
}

export type SpecialUse = 'inbox' | 'junk' | 'sent' | 'all' | 'archive' | 'trash' | 'drafts'

export interface MailFolder {
  path: string
  specialUse: SpecialUse | null
}

export interface FetchedMail {
  uid: number
  source: Buffer
  /** The source is only the beginning of a larger mail. */
  isCut: boolean
  sizeBytes: number
  receivedAt: Date | null
  flags: string[]
  /** Of Gmail, those of its own uses with a backslash; other servers have none. */
  labels: string[]
}

export interface FetchOptions {
  sourceBytesMax: number
  /** Nothing that came in before. */
  since?: Date | null
  /**
   * Asked of a mail that the server refuses to hand out: whether its headers will do, as they do where this
   * is not given. Else it is left out.
   */
  takesHeaders?: (uid: number, refusal: MailFailure) => boolean
  /** Told of a mail whose headers are refused, too, and which is left out; where not given, all fails. */
  onWithheld?: (uid: number, refusal: MailFailure) => void
}

export interface ImapConnection extends AsyncDisposable {
  readonly isOpen: boolean
  folders(): Promise<MailFolder[]>
  select(path: string): Promise<{ uidValidity: string; uidNext: number }>
  /** Mails of the selected folder, ascending from `fromUid`, read without marking as seen. */
  fetch(fromUid: number, options: FetchOptions): AsyncIterable<FetchedMail>
  /**
   * The lowest UID in the selected folder of what came in since then; null: nothing did. It may be that
   * of a mail which came in up to two days before, because servers search by days of their own.
   */
  findFirstSince(since: Date): Promise<number | null>
  /** UIDs in the selected folder with this Message-ID. */
  findByMessageId(messageId: string): Promise<number[]>
  /**
   * The source of one mail of the selected folder, byte for byte and without marking it as seen; of a larger
   * one its beginning. Undefined: it is gone.
   */
  fetchSource(
    uid: number,
    bytesMax: number,
  ): Promise<{ source: Buffer; isCut: boolean } | undefined>
  append(path: string, message: Buffer, flags: string[]): Promise<void>
  /** Resolves when something changed in the selected folder, after `ms`, or when aborted. */
  idle(ms: number, signal?: AbortSignal): Promise<'changed' | 'timeout'>
}
