/** Absolute limits of each stage, however busily a server drips bytes. */
export interface MailTimeouts {
  /** Look-up and TCP connection. */
  connectMs: number
  tlsMs: number
  /** Servers that dislike strangers let them wait before they greet. */
  greetingMs: number
  /** Of one command, login included. */
  commandMs: number
  /** Until a message is on the wire: this, and the time that it takes at 16 KiB/s. */
  uploadMs: number
  /** From the final dot to the answer. RFC 5321 §4.5.3.2.6: who gives up early may send twice. */
  acceptanceMs: number
}

export const usualTimeouts: MailTimeouts = {
  connectMs: 15_000,
  tlsMs: 15_000,
  greetingMs: 45_000,
  commandMs: 60_000,
  uploadMs: 60_000,
  acceptanceMs: 600_000,
}
