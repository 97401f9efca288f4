/** Absolute limits of each stage, however busily a server drips bytes. */
export interface MailTimeouts {
  /** Look-up and TCP connection. */
  connectMs: number
  tlsMs: number
  /** Servers that dislike strangers let them wait before they greet. */
  greetingMs: number
  /** One command, login included, may take so long. */
  commandMs: number
  /** A message may take so long for each MiB on the wire, a started one counted whole. */
  transferMs: number
  /** From the final dot to the answer. RFC 5321 §4.5.3.2.6: who gives up early may send twice. */
  acceptanceMs: number
  /** How often a connection that waits for mail is asked for a sign of life. */
  idleMs: number
  /** A connection over which nothing was said for longer is asked before a mail is begun on it. */
  staleMs: number
  /** How long that may take. */
  aliveMs: number
}

const mebibyte = 1024 ** 2

export const transferMsOf = ({ transferMs }: MailTimeouts, bytes: number): number =>
  transferMs * Math.ceil(bytes / mebibyte)

export const usualTimeouts: MailTimeouts = {
  connectMs: 15_000,
  tlsMs: 15_000,
  greetingMs: 45_000,
  commandMs: 60_000,
  transferMs: 60_000,
  acceptanceMs: 600_000,
  idleMs: 240_000,
  staleMs: 30_000,
  aliveMs: 10_000,
}
