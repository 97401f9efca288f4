import { type AnyContext, type Context, inWorkspace } from '../../../kernel/context.ts'
import { tellPages } from '../../live/index.ts'
import {
  addMessageIds,
  answerThread,
  composeReply,
  indexThreads,
  insertMessages,
} from '../../messages/index.ts'
import type { ReplyContent, ReplyRow } from './reply-queries.ts'

/**
 * A person's mail, the same in each attempt but for its date.
 *
 * @throws MailRefused
 */
export const composeReplyMail = (
  { message_id, reply }: Pick<ReplyRow, 'message_id' | 'reply'>,
  displayName: string | null,
  at: Date,
) =>
  composeReply({
    ...{ mailbox: { address: reply.from_address, display_name: displayName }, at },
    ...{ messageId: message_id, to: reply.to_address, thread: reply },
    body: reply.html === null ? { text: reply.text ?? '' } : { html: reply.html },
  })

/** A reply that was sent, or may have been. */
export interface SettledReply
  extends Pick<
    ReplyRow,
    'workspace_id' | 'lead_id' | 'step_id' | 'id' | 'campaign_id' | 'mailbox_id'
  > {
  message_id: string
  state: string
  timestamp_transmitting: Date | null
  reply: ReplyContent
}

/**
 * Keeps sent replies in their conversations, which are read and as new as they are. An uncertain one is
 * known by its Message-ID alone: an answer to it may be all that is ever heard of it.
 */
export async function recordReplies(tx: AnyContext, replies: SettledReply[]) {
  for (const row of replies) {
    if (row.state === 'uncertain') await addMessageIds(tx.db, [{ ...row, alias: row.message_id }])
    if (row.state === 'sent') await recordSent(inWorkspace(tx, row.workspace_id), row)
    tellPages(tx, row.workspace_id, ['inbox'])
  }
}

async function recordSent(tx: Context, row: SettledReply) {
  const { workspace_id, id, mailbox_id, campaign_id, lead_id, message_id, reply } = row
  const mail = composeReplyMail(row, null, tx.now())
  const sentAt = row.timestamp_transmitting ?? tx.now()
  await insertMessages(tx, [
    {
      ...{ workspace_id, id, mailbox_id, campaign_id, lead_id, thread_id: lead_id, message_id },
      ...{ direction: 'out', kind: 'manual', step_id: null, step: null, variant: null },
      in_reply_to: reply.in_reply_to || null,
      ...{ from_address: reply.from_address, to_addresses: [reply.to_address] },
      ...{ subject: mail.subject, text: mail.text, html: reply.shown_html, snippet: reply.snippet },
      size_bytes: mail.sizeBytes,
      details: {
        reply_key: reply.idempotency_key,
        ...(reply.written_by ? { written_by: reply.written_by } : {}),
      },
      timestamp: sentAt,
    },
  ])
  const { snippet } = reply
  await answerThread(tx.db, workspace_id, lead_id, id, { snippet, sentAt }, tx.now())
  await indexThreads(tx, workspace_id, [lead_id])
}
