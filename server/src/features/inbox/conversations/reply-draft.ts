import type { Context } from '../../../kernel/context.ts'
import { parseEmail } from '../../../kernel/email.ts'
import { AppError, invalidField, notFound } from '../../../kernel/errors.ts'
import { findThread, listThreadHeads, lockThreads, type MessageHead } from '../../messages/index.ts'
import {
  getReplyMailbox,
  isOpen,
  listUnsentReplies,
  messageIdOf,
  type ReplyContent,
  type ReplyRow,
} from '../../sending/index.ts'
import { baseSubject } from '../classify/subject.ts'

/** A person's input, with its text fit to be stored. */
export type GivenReply = { thread_id: string } & Pick<
  ReplyContent,
  'idempotency_key' | 'text' | 'html' | 'written_by'
>

export type ReplyDraft = Pick<ReplyRow, 'lead_id' | 'campaign_id' | 'mailbox_id' | 'message_id'> & {
  reply: ReplyContent
}

/** So many mails are looked at: those that the headers of a mail refer to, and some more. */
export const messagesMax = 50

/**
 * Makes a reply ready to be composed: it goes to whoever wrote last, or where they wanted answers to go, and
 * refers to the mails of the conversation. Where only servers answered it goes to the lead; to
 * colleagues of ours who wrote in between it never goes.
 */
export async function draftReply(
  ctx: Context,
  workspaceId: string,
  { thread_id, ...given }: GivenReply,
): Promise<{ draft: ReplyDraft; displayName: string | null }> {
  const thread = await findThread(ctx.db, workspaceId, thread_id)
  if (!thread) throw notFound('conversation')
  const mailbox = await getReplyMailbox(ctx, workspaceId, thread.mailbox_id)
  const heads = await listThreadHeads(ctx.db, workspaceId, thread_id, messagesMax)
  const mails = heads.filter(({ kind }) => kind !== 'bounce' && kind !== 'complaint')
  const { answered, to } = answeredIn(mails)
  if (!answered || !to) throw invalidField('/thread_id', 'the conversation has nobody to answer to')
  const references = mails.toReversed().map(({ message_id }) => message_id)
  const draft = {
    lead_id: thread_id,
    campaign_id: thread.campaign_id,
    mailbox_id: mailbox.id,
    message_id: messageIdOf(
      { workspace_id: workspaceId, lead_id: thread_id, step_id: `reply ${given.idempotency_key}` },
      mailbox.address,
    ),
    reply: {
      ...given,
      ...{ from_address: mailbox.address, to_address: to },
      in_reply_to: realId(answered.message_id) ?? references.findLast(realId) ?? '',
      // They know the mail that they answered by that id, which may be one that a provider made.
      references: [...references, answered.in_reply_to].flatMap((id) => realId(id) ?? []),
      subject: baseSubject(answered.subject),
      ...{ shown_html: null, snippet: '', is_forced: false },
      timestamp_created: ctx.now().toISOString(),
    },
  }
  return { draft, displayName: mailbox.display_name }
}

/**
 * The mail that an answer is to, and the address that it goes to.
 *
 * @param mails of a conversation, the newest first
 */
export function answeredIn(mails: MessageHead[]) {
  const theirs = mails.filter(
    (mail) => !['bounce', 'complaint', 'colleague'].includes(mail.kind) && recipientOf(mail),
  )
  const answered =
    theirs.find(({ kind }) => kind === 'reply') ??
    theirs.find(({ direction }) => direction === 'in') ??
    theirs[0]
  return { answered, to: answered && recipientOf(answered) }
}

/**
 * Two people who answer at once would each write what the other has not seen. Whoever writes in the
 * conversation meanwhile, or answers in it, is waited for.
 *
 * @param tx of the answer, which is in the ledger
 * @param seen the last message that its author has seen
 */
export async function refuseUnseen(
  tx: Context,
  workspaceId: string,
  { lead_id, reply }: ReplyDraft,
  seen: string,
): Promise<void> {
  await lockThreads(tx.db, workspaceId, [lead_id])
  const thread = await findThread(tx.db, workspaceId, lead_id)
  const unsent = await listUnsentReplies(tx.db, workspaceId, lead_id)
  const isOther = (row: ReplyRow) => row.reply.idempotency_key !== reply.idempotency_key
  if (thread && thread.last_message_id <= seen && !unsent.filter(isOther).some(isOpen)) return
  throw new AppError(
    'version_conflict',
    'There is something new in this conversation: look at it, then send your answer again.',
  )
}

/** Undefined where no address stands: one was erased, or a mail came without one that can be written to. */
function recipientOf({ direction, details, from_address, to_addresses }: MessageHead) {
  if (direction === 'out') return to_addresses.slice(0, 1).find(parseEmail)
  const { reply_to } = details
  const given = typeof reply_to === 'string' ? [reply_to, from_address] : [from_address]
  return given.find(parseEmail)
}

/** A mail that came without a Message-ID is known by one here that nobody else has seen. */
const realId = (id: string | null) => (id?.endsWith('@source.invalid>') ? null : id)
