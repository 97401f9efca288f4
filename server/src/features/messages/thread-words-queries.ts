import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'

/** Different words of a conversation: a row holds no more than a megabyte. */
export const piecesMost = 4000

/** What a conversation is found by. */
export interface ThreadTexts {
  id: string
  /** Names and addresses of the lead, and of who wrote last. */
  people: string
  /** Newest first. */
  mails: { subject: string; text: string }[]
  oldest_message_id: string | null
}

/** Waits for those who write in them: what is read from here on has what those wrote. */
export const lockThreads = (tx: Db, workspaceId: string, ids: string[]) =>
  sql`
    select from threads
    where workspace_id = ${workspaceId}::uuid and id = any(${ids}::uuid[])
    order by id
    for no key update`.execute(tx)

/** @param mailsMost the newest of each conversation; of each the first `charactersMost` */
export async function listThreadTexts(
  db: Db,
  workspaceId: string,
  ids: string[],
  { mailsMost, charactersMost }: { mailsMost: number; charactersMost: number },
): Promise<ThreadTexts[]> {
  const { rows } = await sql<ThreadTexts>`
    select t.id, m.mails, m.oldest_message_id,
      concat_ws(' ', l.first_name, l.last_name, l.company_name, l.email, t.from_address) as people
    from threads t
    left join leads l on l.workspace_id = t.workspace_id and l.id = t.id
    cross join lateral (
      select (array_agg(id order by id))[1] as oldest_message_id, coalesce(json_agg(
        json_build_object('subject', left(subject, 1000), 'text', left(text, ${charactersMost}::integer))
        order by id desc), '[]') as mails
      from (
        select id, subject, text from messages
        where workspace_id = t.workspace_id and thread_id = t.id
        order by id desc
        limit ${mailsMost}::integer) newest) m
    where t.workspace_id = ${workspaceId}::uuid and t.id = any(${ids}::uuid[])`.execute(db)
  return rows
}

export interface ThreadWords {
  thread_id: string
  oldest_message_id: string | null
  /** As a `tsvector` is written. */
  words: string
}

export const upsertThreadWords = (db: Db, workspaceId: string, rows: ThreadWords[], at: Date) =>
  sql`
    insert into thread_words (workspace_id, thread_id, oldest_message_id, words, timestamp_updated)
    select ${workspaceId}::uuid, thread_id, oldest_message_id, words, ${at}::timestamptz
    from unnest(
      ${rows.map((row) => row.thread_id)}::uuid[],
      ${rows.map((row) => row.oldest_message_id)}::uuid[],
      ${rows.map((row) => row.words)}::tsvector[]
    ) as k (thread_id, oldest_message_id, words)
    order by thread_id
    on conflict (workspace_id, thread_id) do update set
      oldest_message_id = excluded.oldest_message_id, words = excluded.words,
      timestamp_updated = excluded.timestamp_updated`.execute(db)

/**
 * Conversations after an id whose words are missing, or older than the last change of their lead: a
 * mail of a campaign and another name are such changes.
 */
export async function listThreadsToIndex(
  db: Db,
  workspaceId: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select t.id
    from threads t
    left join thread_words w on w.workspace_id = t.workspace_id and w.thread_id = t.id
    left join leads l on l.workspace_id = t.workspace_id and l.id = t.id
    where t.workspace_id = ${workspaceId}::uuid and t.id > ${after}::uuid
      and (w.thread_id is null or l.timestamp_updated > w.timestamp_updated)
    order by t.id
    limit ${limit}::integer`.execute(db)
  return rows.map(({ id }) => id)
}

/** Words of mails that are older than this id; they are made anew from what is still there. */
export const deleteWordsBefore = (db: Db, workspaceId: string, id: string) =>
  sql`
    delete from thread_words
    where workspace_id = ${workspaceId}::uuid and oldest_message_id < ${id}::uuid`.execute(db)

/** How many conversations have all of the words, up to `most`. */
export async function countByWords(db: Db, workspaceId: string, query: string, most: number) {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (
      select 1 from thread_words
      where workspace_id = ${workspaceId}::uuid and words @@ ${query}::tsquery
      limit ${most}::integer) as counted`.execute(db)
  return rows[0]?.count ?? 0
}

/** What has to be in a conversation. */
export interface WordsAsked {
  /** As a `tsquery` is written. */
  query: string
  /** Whether to ask the index for all that have it, rather than each conversation. */
  byIndex: boolean
}

/** Of a conversation `t`. Either form leaves one plan, whatever is estimated. */
export const hasWords = (workspaceId: string, { query, byIndex }: WordsAsked) =>
  byIndex
    ? sql`t.id = any(array(
        select thread_id from thread_words
        where workspace_id = ${workspaceId}::uuid and words @@ ${query}::tsquery))`
    : sql`(
        select w.words @@ ${query}::tsquery from thread_words w
        where w.workspace_id = t.workspace_id and w.thread_id = t.id)`
