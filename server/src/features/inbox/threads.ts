import type { Context } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import type { Page, PageRequest } from '../../kernel/http/page.ts'
import { listThreadMessages, type StoredMessage } from '../messages/index.ts'
import { listNotSent, type ShownReply } from './reply-queries.ts'
import * as queries from './thread-queries.ts'

/** Conversations that somebody answered in, the newest answer first. */
export async function listThreads(
  ctx: Context,
  workspaceId: string,
  page: PageRequest,
  filter: queries.ThreadFilter = {},
): Promise<Page<queries.Thread>> {
  const rows = await queries.listThreads(ctx.db, workspaceId, page, filter)
  const items = rows.slice(0, page.limit)
  const last = items.at(-1)
  // A thread moves when it is answered: where a page ends is told by the message.
  return rows.length > items.length && last
    ? { items, next_starting_after: last.last_message_id }
    : { items }
}

export interface Conversation extends queries.Thread {
  /** Newest first. */
  messages: Page<StoredMessage>
  /** Of ours, those that are not among the messages: on their way, failed, or nobody knows. */
  replies: ShownReply[]
}

export async function getThread(
  ctx: Context,
  workspaceId: string,
  id: string,
  page: PageRequest,
): Promise<Conversation> {
  const thread = await queries.findThread(ctx.db, workspaceId, id)
  if (!thread) throw notFound('conversation')
  const messages = await listThreadMessages(ctx, workspaceId, id, page)
  return { ...thread, messages, replies: await listNotSent(ctx.db, workspaceId, id) }
}

export async function markRead(
  ctx: Context,
  workspaceId: string,
  ids: string[],
  isRead: boolean,
): Promise<void> {
  await queries.updateUnread(ctx.db, workspaceId, ids, !isRead)
}
