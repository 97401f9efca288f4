import { sha256 } from '../../kernel/crypto.ts'
import type { FetchedMail } from '../../kernel/mail/index.ts'
import { classify, type Inbound } from './classify/classify.ts'
import { type InboundMessage, parseMessage } from './classify/message.ts'

/** A mail of a folder, read and understood. */
export interface Incoming {
  /** In its folder. */
  uid: number
  message: InboundMessage
  inbound: Inbound
  receivedAt: Date
  sizeBytes: number
  /** Its Message-ID; of a mail without one, what its source makes of it. */
  identity: string
  /** Message-IDs of ours that it may be about, the likeliest first. */
  about: string[]
}

export async function readIncoming(mail: FetchedMail, now: Date): Promise<Incoming> {
  const message = await parseMessage(mail.source)
  // What the server noted counts: the sender's clock may say anything.
  const receivedAt = mail.receivedAt ?? now
  const inbound = classify(message, receivedAt)
  return {
    ...{ uid: mail.uid, message, inbound, receivedAt, sizeBytes: mail.sizeBytes },
    identity: message.messageId ?? `<${sha256(mail.source).toString('hex')}@source.invalid>`,
    about: aboutOf(message, inbound),
  }
}

function aboutOf(message: InboundMessage, inbound: Inbound): string[] {
  if (inbound.kind === 'bounce' || inbound.kind === 'complaint') return inbound.about
  return [...new Set([...message.inReplyTo, ...message.references.toReversed()])]
}
