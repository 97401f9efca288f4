import { sha256 } from '../../../kernel/crypto.ts'
import type { FetchedMail } from '../../../kernel/mail/index.ts'
import { isLarge, understandLarge } from '../reading/large-mails.ts'
import { shownHtml, type Understood, understand } from './understand.ts'

/** A mail of a folder, read and understood. */
export interface InboundMessage extends Understood {
  /** In its folder. */
  uid: number
  /** Fit to be shown. */
  html: () => string | null
  receivedAt: Date
  sizeBytes: number
  /** Its Message-ID; of a mail without one, what its source makes of it. */
  identity: string
  /** Message-IDs of ours that it may be about, the likeliest first. */
  about: string[]
  /** Why it was understood by its headers alone. */
  headOnlyBecause?: unknown
}

export async function readInbound(
  workspaceId: string,
  mail: FetchedMail,
  now: Date,
): Promise<InboundMessage> {
  const { uid, source, sizeBytes } = mail
  // The server's INTERNALDATE counts: the sender's clock may say anything.
  const receivedAt = mail.receivedAt ?? now
  const understood = isLarge(source)
    ? await understandLarge(workspaceId, source, receivedAt)
    : { ...(await understand(source, receivedAt)), shownHtml: undefined }
  const { message } = understood
  return {
    ...{ ...understood, uid, receivedAt, sizeBytes },
    // Most mails belong to no conversation, and nobody sees them.
    html: () => (understood.shownHtml === undefined ? shownHtml(message) : understood.shownHtml),
    identity: message.messageId ?? `<${sha256(source).toString('hex')}${ofSource}`,
    about: aboutOf(understood),
  }
}

const ofSource = '@source.invalid>'

/** Whether a mail has no Message-ID of its own, by which its server could find it. */
export const isMadeOfSource = (identity: string) => identity.endsWith(ofSource)

function aboutOf({ message, inbound }: Understood): string[] {
  if (inbound.kind === 'bounce' || inbound.kind === 'complaint') return inbound.about
  return [...new Set([...message.inReplyTo, ...message.references.toReversed()])]
}
