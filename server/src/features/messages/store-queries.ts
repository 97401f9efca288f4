import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import { newestFirst } from '../../kernel/db/newest-first.ts'
import type { PageRequest } from '../../kernel/http/page.ts'
import type { NewMessageId } from './batch-queries.ts'
import type { MessageHead, StoredMessage } from './kept-message.ts'

export const findByHashes = async (db: Db, workspaceId: string, hashes: Buffer[]) => {
  const { rows } = await sql<NewMessageId>`
    select workspace_id, hash, message_id, lead_id, campaign_id, mailbox_id
    from message_ids
    where workspace_id = ${workspaceId}::uuid
      and hash = any(array(select unnest(${hashes}::bytea[])))`.execute(db)
  return rows
}

export const deleteMessageIds = (db: Db, workspaceId: string, hashes: Buffer[]) =>
  db
    .deleteFrom('message_ids')
    .where('workspace_id', '=', workspaceId)
    .where('hash', 'in', hashes)
    .execute()

/** Newest first, and one more than the page holds. */
export const listThread = async (
  db: Db,
  workspaceId: string,
  threadId: string,
  page: PageRequest,
): Promise<StoredMessage[]> =>
  (await db
    .selectFrom('messages')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('thread_id', '=', threadId)
    .$call(newestFirst(page))
    .execute()) as StoredMessage[]

/**
 * What says where an answer goes and what it refers to, of so many of the newest mails: as they arrived,
 * which is not as they were read.
 */
export const listThreadHeads = async (
  db: Db,
  workspaceId: string,
  threadId: string,
  limit: number,
): Promise<MessageHead[]> =>
  (
    await db
      .selectFrom('messages')
      .select(['id', 'direction', 'kind', 'message_id', 'in_reply_to', 'from_address'])
      .select(['to_addresses', 'subject', 'details', 'timestamp'])
      .where('workspace_id', '=', workspaceId)
      .where('thread_id', '=', threadId)
      .orderBy('id', 'desc')
      .limit(limit)
      .$castTo<MessageHead>()
      .execute()
  ).toSorted((a, b) => b.timestamp.getTime() - a.timestamp.getTime())

export const findMessage = async (
  db: Db,
  workspaceId: string,
  id: string,
): Promise<StoredMessage | undefined> =>
  (await db
    .selectFrom('messages')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()) as StoredMessage | undefined

/** What tells letters under one Message-ID apart. */
export const findLetters = async (db: Db, workspaceId: string, ids: string[]) => {
  const { rows } = await sql<
    Pick<StoredMessage, 'id' | 'direction' | 'from_address' | 'text' | 'details'>
  >`
    select id, direction, from_address, text, details
    from messages
    where workspace_id = ${workspaceId}::uuid
      and id = any(array(select unnest(${ids}::uuid[])))`.execute(db)
  return rows
}

/** Whether something came in in one of the conversations that is newer than a message. */
export async function hasNewer(db: Db, workspaceId: string, threadIds: string[], than: string) {
  const { rows } = await sql<{ has_newer: boolean }>`
    select exists (
      select from messages
      where workspace_id = ${workspaceId}::uuid and thread_id = any(${threadIds}::uuid[])
        and id > ${than}::uuid and direction = 'in') as has_newer`.execute(db)
  return rows[0]?.has_newer === true
}
