import type { Context } from '../../../kernel/context.ts'
import { AppError, notFound } from '../../../kernel/errors.ts'
import type { Page, PageRequest } from '../../../kernel/http/page.ts'
import {
  findThread,
  listThreadHeads,
  listThreadMessages,
  type StoredMessage,
} from '../../messages/index.ts'
import { findReplyRefusal, getReplyMailbox } from '../../sending/index.ts'
import { withoutOwnLinks } from '../../tracking/index.ts'
import { nameOfAttachment } from '../classify/message.ts'
import type { ThreadMessage } from '../schema.ts'
import { attachedTo } from './attachment.ts'
import { hasRemoteImages } from './mail-document.ts'
import { answeredIn, messagesMax } from './reply-draft.ts'
import { type Conversation, getThread } from './threads.ts'

/** So many mails are shown at first: all that most conversations have. */
const newestMails = 20

/** A conversation as the application shows it: its mails, and whether and where it can be answered. */
export async function showConversation(ctx: Context, workspaceId: string, id: string) {
  const page = { limit: newestMails, startingAfter: undefined }
  const { messages, ...thread } = await getThread(ctx, workspaceId, id, page)
  return {
    ...thread,
    messages: messages.items.map((message) => shownMessage(ctx, message)),
    has_older: messages.next_starting_after !== undefined,
    ...(await findAnswer(ctx, workspaceId, thread)),
  }
}

/** Its mails, the newest first, page by page. */
export async function showMessages(
  ctx: Context,
  workspaceId: string,
  id: string,
  page: PageRequest,
): Promise<Page<ThreadMessage>> {
  if (!(await findThread(ctx.db, workspaceId, id))) throw notFound('conversation')
  const { items, ...next } = await listThreadMessages(ctx, workspaceId, id, page)
  return { ...next, items: items.map((message) => shownMessage(ctx, message)) }
}

function shownMessage(ctx: Context, message: StoredMessage): ThreadMessage {
  const { details, html } = message
  const { matched_by, from_name, written_by, reply_key } = details
  return {
    ...{ id: message.id, direction: message.direction, kind: message.kind, step: message.step },
    ...{ from_address: message.from_address, to_addresses: message.to_addresses },
    ...{ cc_addresses: message.cc_addresses, subject: message.subject, text: message.text },
    ...{ snippet: message.snippet, timestamp: message.timestamp },
    has_html: html !== null,
    has_remote_images:
      html !== null && hasRemoteImages(html) && hasRemoteImages(withoutOwnLinks(ctx, html)),
    from_name: typeof from_name === 'string' ? from_name : null,
    matched_by: (matched_by as ThreadMessage['matched_by'] | undefined) ?? null,
    attachments: attachedTo(message).map(nameOfAttachment),
    written_by: typeof written_by === 'string' ? written_by : null,
    reply_key: typeof reply_key === 'string' ? reply_key : null,
  }
}

interface Answer {
  answer_to: string | null
  answer_problem: string | null
  may_force: boolean
}

/** Where an answer would go, and why it could not. */
async function findAnswer(
  ctx: Context,
  workspaceId: string,
  thread: Pick<Conversation, 'id' | 'mailbox_id'>,
): Promise<Answer> {
  // As many as an answer looks at: it goes where it is said to go.
  const heads = await listThreadHeads(ctx.db, workspaceId, thread.id, messagesMax)
  const to = answeredIn(heads).to ?? null
  const blocked = (answer_problem: string | null) => ({
    ...{ answer_to: to, answer_problem, may_force: false },
  })
  if (to === null) return blocked('There is nobody to answer to in this conversation.')
  try {
    await getReplyMailbox(ctx, workspaceId, thread.mailbox_id)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return blocked(error.message)
  }
  const refusal = await findReplyRefusal(ctx, workspaceId, to)
  return { ...blocked(refusal ?? null), may_force: refusal !== undefined }
}
