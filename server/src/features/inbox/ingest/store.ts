import type { Context } from '../../../kernel/context.ts'
import { tellPages } from '../../live/index.ts'
import {
  insertMessages,
  type NewMessage,
  type ThreadToWrite,
  textBounds,
  threadWordsOf,
  upsertThreads,
} from '../../messages/index.ts'
import type { InboxMailbox } from '../inbox-mailbox.ts'
import type { MatchedMessage } from '../matching/matched-messages.ts'
import { keptHtml } from './understand.ts'

/** Stores messages in their threads, where they can be read. */
export async function storeMatched(tx: Context, mailbox: InboxMailbox, messages: MatchedMessage[]) {
  await insertMessages(
    tx,
    messages.map((matched) => messageOf(matched, mailbox)),
  )
  if (messages.length > 0) tellPages(tx, mailbox.workspace_id, ['inbox'])
  const byThread = [...Map.groupBy(messages, ({ lead }) => lead.id).values()]
  // One statement writes a row once: the first message of each thread, then the second …
  for (let at = 0; byThread.some((thread) => thread.length > at); at++) {
    const threads = byThread.flatMap((thread) => thread[at] ?? [])
    await upsertThreads(
      tx.db,
      mailbox.workspace_id,
      threads.map((matched) => threadOf(matched, mailbox)),
      tx.now(),
    )
  }
}

function threadOf(matched: MatchedMessage, mailbox: InboxMailbox): ThreadToWrite {
  const { id, lead, kind, isFromLead } = matched
  const { message, snippet } = matched.mail
  const from_address = message.from?.address ?? ''
  const isAnswer = kind === 'reply' || kind === 'auto_reply'
  return {
    ...{ id: lead.id, last_message_id: id, campaign_id: lead.campaign_id, kind, snippet },
    // A mail to several of our mailboxes is read by one of them, and that need not be the lead's.
    mailbox_id: lead.mailbox_id ?? mailbox.id,
    from_address,
    is_from_another: isAnswer && !isFromLead && from_address !== '',
    subject: message.subject,
    suggestion: suggestionOf(matched),
    ...{ arrived_at: matched.arrivedAt, is_of_answer: matched.isOfAnswer },
    words: wordsOf(matched, mailbox.workspace_id),
  }
}

/** Of this mail, of who writes with whom, and of the subject that they write about. */
function wordsOf({ lead, sent, mail: { message } }: MatchedMessage, workspaceId: string): string {
  const { subject, text, from } = message
  return threadWordsOf(workspaceId, {
    people: [lead.names, from?.address, sent?.subject].filter(Boolean).join(' '),
    mails: [{ subject, text: text.slice(0, textBounds.charactersMost) }],
  })
}

/** The change that a message asks for, and that a person has to make. */
function suggestionOf({
  kind,
  isProven,
  isFromAnotherLead,
  mail: { inbound },
}: MatchedMessage): 'unsubscribed' | null {
  if (kind === 'complaint') return isProven ? null : 'unsubscribed'
  if (kind !== 'reply' || inbound.kind !== 'reply' || isFromAnotherLead) return null
  return inbound.wish ? 'unsubscribed' : null
}

function messageOf(matched: MatchedMessage, mailbox: InboxMailbox): NewMessage {
  const { mail, match, lead, id, kind, bounce } = matched
  const { message, snippet } = mail
  const { attachments, replyTo, date, from } = message
  return {
    workspace_id: mailbox.workspace_id,
    id,
    direction: 'in',
    kind,
    mailbox_id: mailbox.id,
    campaign_id: lead.campaign_id,
    lead_id: lead.id,
    ...{ step_id: null, step: null, variant: null },
    message_id: mail.identity,
    in_reply_to: message.inReplyTo[0] ?? null,
    thread_id: lead.id,
    from_address: from?.address ?? '',
    to_addresses: message.to,
    cc_addresses: message.cc,
    subject: message.subject,
    text: message.text,
    html: keptHtml(message),
    snippet,
    size_bytes: mail.sizeBytes,
    details: {
      matched_by: match.by,
      ...(bounce ? { bounce: bounce.kind } : {}),
      ...(attachments.length > 0 ? { attachments } : {}),
      ...(from?.name ? { from_name: from.name } : {}),
      ...(replyTo === null ? {} : { reply_to: replyTo }),
      ...(date === null ? {} : { date: date.toISOString() }),
    },
    timestamp: mail.receivedAt,
  }
}
