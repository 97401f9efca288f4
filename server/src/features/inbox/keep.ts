import type { Context } from '../../kernel/context.ts'
import { insertMessages, type NewMessage } from '../messages/index.ts'
import { snippetOf } from './classify/visible-text.ts'
import { bounceOf } from './effects.ts'
import type { Letter } from './letters.ts'
import type { ReadMailbox } from './read-mailbox.ts'
import { type ThreadToWrite, upsertThreads } from './thread-queries.ts'

/** Stores letters in their threads, where they can be read. */
export async function keepLetters(tx: Context, mailbox: ReadMailbox, letters: Letter[]) {
  await insertMessages(
    tx.db,
    letters.map((letter) => messageOf(letter, mailbox)),
  )
  // Of each thread the last one.
  const threads = new Map(letters.map((letter) => [letter.lead.id, threadOf(letter)]))
  const { workspace_id, id } = mailbox
  await upsertThreads(tx.db, workspace_id, id, [...threads.values()], tx.now())
}

const threadOf = ({ mail: { message, inbound }, lead, id }: Letter): ThreadToWrite => ({
  ...{ id: lead.id, last_message_id: id, campaign_id: lead.campaign_id },
  kind: inbound.kind,
  from_address: message.from?.address ?? '',
  subject: message.subject,
  snippet: snippetOf(message.text),
  suggestion: inbound.kind === 'reply' && inbound.asksToUnsubscribe ? 'unsubscribed' : null,
})

function messageOf(letter: Letter, mailbox: ReadMailbox): NewMessage {
  const { mail, match, lead, id, html } = letter
  const { message, inbound } = mail
  const bounce = bounceOf(letter)
  const { attachments, replyTo } = message
  return {
    workspace_id: mailbox.workspace_id,
    id,
    direction: 'in',
    kind: inbound.kind,
    mailbox_id: mailbox.id,
    campaign_id: lead.campaign_id,
    lead_id: lead.id,
    ...{ step_id: null, step: null, variant: null },
    message_id: mail.identity,
    in_reply_to: message.inReplyTo[0] ?? null,
    thread_id: lead.id,
    from_address: message.from?.address ?? '',
    to_addresses: message.to,
    subject: message.subject,
    text: message.text,
    html,
    size_bytes: mail.sizeBytes,
    details: {
      matched_by: match.by,
      ...(bounce ? { bounce: bounce.kind } : {}),
      ...(attachments.length > 0 ? { attachments } : {}),
      ...(replyTo === null ? {} : { reply_to: replyTo }),
    },
    timestamp: mail.receivedAt,
  }
}
