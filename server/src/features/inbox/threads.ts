import type { Context } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import type { Page, PageRequest } from '../../kernel/http/page.ts'
import { tellPages } from '../live/index.ts'
import * as messages from '../messages/index.ts'
import { listUnsentReplies } from '../sending/index.ts'
import { type ShownReply, shownReply } from './shown-reply.ts'

/** Conversations that somebody answered in, the newest answer first. */
export async function listThreads(
  ctx: Context,
  workspaceId: string,
  page: PageRequest,
  filter: messages.ThreadFilter = {},
): Promise<Page<messages.Thread>> {
  const rows = await messages.findThreads(ctx.db, workspaceId, page, filter)
  const items = rows.slice(0, page.limit)
  const last = items.at(-1)
  // A thread moves when it is answered: where a page ends is told by the message.
  return rows.length > items.length && last
    ? { items, next_starting_after: last.last_message_id }
    : { items }
}

export interface Conversation extends messages.Thread {
  /** Newest first. */
  messages: Page<messages.StoredMessage>
  /** Replies by hand that are not among the messages: on their way, failed or uncertain. */
  replies: ShownReply[]
}

export async function getThread(
  ctx: Context,
  workspaceId: string,
  id: string,
  page: PageRequest,
): Promise<Conversation> {
  const thread = await messages.findThread(ctx.db, workspaceId, id)
  if (!thread) throw notFound('conversation')
  const unsent = await listUnsentReplies(ctx.db, workspaceId, id)
  return {
    ...thread,
    messages: await messages.listThreadMessages(ctx, workspaceId, id, page),
    replies: unsent.map(shownReply),
  }
}

export async function markRead(
  ctx: Context,
  workspaceId: string,
  ids: string[],
  isRead: boolean,
): Promise<void> {
  await messages.updateUnread(ctx.db, workspaceId, ids, !isRead)
  tellPages(ctx, workspaceId, ['inbox'])
}
