import type { Context } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import type { Page, PageRequest } from '../../kernel/http/page.ts'
import { listThreadMessages, type StoredMessage } from '../messages/index.ts'
import * as queries from './queries.ts'

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
}

export async function getThread(
  ctx: Context,
  workspaceId: string,
  id: string,
  page: PageRequest,
): Promise<Conversation> {
  const thread = await queries.findThread(ctx.db, workspaceId, id)
  if (!thread) throw notFound('conversation')
  return { ...thread, messages: await listThreadMessages(ctx, workspaceId, id, page) }
}

export async function markRead(
  ctx: Context,
  workspaceId: string,
  ids: string[],
  isRead: boolean,
): Promise<void> {
  await queries.updateUnread(ctx.db, workspaceId, ids, !isRead)
}
