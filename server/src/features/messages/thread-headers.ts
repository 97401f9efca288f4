import type { MailThread } from './mail.ts'

/** What links a mail to the ones before it; ids come from other servers too, so each is looked at. */
export function threadHeaders(thread: MailThread | null): {
  inReplyTo: string | null
  references: string[]
} {
  if (!thread) return { inReplyTo: null, references: [] }
  const inReplyTo = isMessageId(thread.in_reply_to) ? thread.in_reply_to : null
  const known = [...new Set([...thread.references, thread.in_reply_to])].filter(isMessageId)
  // The first one and the latest are what mail programs go by.
  const references =
    known.length > referencesMax ? [...known.slice(0, 1), ...known.slice(1 - referencesMax)] : known
  return { inReplyTo, references }
}

const referencesMax = 20

export const isMessageId = (text: string) => /^<[\x21-\x3b\x3d\x3f-\x7e]{1,900}>$/.test(text)
