import type { Context } from '../../kernel/context.ts'
import { AppError, invalidField, notFound } from '../../kernel/errors.ts'
import { findMailboxes, type Mailbox } from '../mailboxes/index.ts'
import {
  composeReply,
  listThreadMessages,
  MailRefused,
  type StoredMessage,
} from '../messages/index.ts'
import { messageIdOf } from '../sending/index.ts'
import { baseSubject } from './classify/subject.ts'
import type { ReplyDraft } from './reply-queries.ts'
import { findThread } from './thread-queries.ts'

/** As many as the headers of a mail refer to, and some that are not referred to. */
const messagesMax = 50

/**
 * What a reply is made of: it goes to whoever wrote last, or where they wanted answers to go, and
 * refers to the mails of the conversation. Where only servers answered it goes to the lead; to
 * colleagues of ours who wrote in between it never goes.
 */
export async function draftReply(
  ctx: Context,
  workspaceId: string,
  reply: Pick<ReplyDraft, 'thread_id' | 'idempotency_key' | 'text' | 'html'>,
): Promise<ReplyDraft> {
  const { thread_id, idempotency_key, text, html } = reply
  const thread = await findThread(ctx.db, workspaceId, thread_id)
  if (!thread) throw notFound('conversation')
  const mailbox = await findReplyMailbox(ctx, workspaceId, thread.mailbox_id)
  const page = { limit: messagesMax, startingAfter: undefined }
  const { items } = await listThreadMessages(ctx, workspaceId, thread_id, page)
  const mails = items.filter(({ kind }) => kind !== 'bounce' && kind !== 'complaint')
  const theirs = mails.filter(({ kind }) => kind !== 'colleague')
  const answered =
    theirs.find(({ kind }) => kind === 'reply') ??
    theirs.find(({ direction }) => direction === 'in') ??
    theirs[0]
  const to = answered && recipientOf(answered)
  if (!answered || !to) throw invalidField('/thread_id', 'the conversation has nobody to answer to')
  const references = mails.toReversed().map(({ message_id }) => message_id)
  return {
    ...{ workspace_id: workspaceId, idempotency_key, thread_id, text, html },
    campaign_id: thread.campaign_id,
    mailbox_id: mailbox.id,
    message_id: messageIdOf(
      { workspace_id: workspaceId, lead_id: thread_id, step_id: `reply ${idempotency_key}` },
      mailbox.address,
    ),
    from_address: mailbox.address,
    to_address: to,
    in_reply_to: realId(answered.message_id) ?? references.findLast(realId) ?? '',
    // What they answered is known to them by that id, which may be one that a provider made.
    mail_references: [...references, answered.in_reply_to].flatMap((id) => realId(id) ?? []),
    subject: baseSubject(answered.subject),
  }
}

function recipientOf({ direction, details, from_address, to_addresses }: StoredMessage) {
  if (direction === 'out') return to_addresses[0]
  return typeof details.reply_to === 'string' ? details.reply_to : from_address
}

/** A mail that came without a Message-ID is known by one here that nobody else has seen. */
const realId = (id: string | null) => (id?.endsWith('@source.invalid>') ? null : id)

export async function findReplyMailbox(
  ctx: Context,
  workspaceId: string,
  id: string,
): Promise<Mailbox> {
  const [mailbox] = await findMailboxes(ctx.db, workspaceId, [id])
  if (mailbox && mailbox.status !== 'paused') return mailbox
  throw new AppError(
    'not_eligible',
    mailbox
      ? 'The mailbox of this conversation is paused: resume it first.'
      : 'The mailbox of this conversation was removed: nothing can be sent from it.',
  )
}

/** The mail as it is sent and kept, the same each time but for its date. */
export function makeMail(
  draft: ReplyDraft,
  mailbox: Pick<Mailbox, 'address' | 'display_name'>,
  at: Date,
) {
  const { message_id, to_address, in_reply_to, mail_references, subject, text, html } = draft
  try {
    return composeReply({
      ...{ mailbox, messageId: message_id, to: to_address, cc: [], at },
      thread: { in_reply_to, references: mail_references, subject },
      body: html === null ? { text: text ?? '' } : { html },
    })
  } catch (error) {
    if (!(error instanceof MailRefused)) throw error
    throw new AppError('not_eligible', 'The address that this reply would go to is not valid.')
  }
}
