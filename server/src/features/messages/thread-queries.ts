import { type RawBuilder, sql } from 'kysely'
import { timestampArray } from '../../kernel/db/binary-array.ts'
import type { Db } from '../../kernel/db/db.ts'
import { piecesMost } from './thread-words-queries.ts'

export interface ThreadToWrite {
  id: string
  mailbox_id: string
  last_message_id: string
  campaign_id: string
  kind: string
  from_address: string
  /** Somebody else answered than was written to. */
  is_from_another?: boolean
  subject: string
  snippet: string
  suggestion: string | null
  arrived_at: Date
  /** The mail tells that what a person answered did not arrive. */
  is_of_answer?: boolean
  /** Of what came in, as `threadWordsOf` writes them. */
  words: string
}

/**
 * A conversation is as new and as unread as what came in last. That a person answered in it is not
 * covered by what a machine writes next, unless our answer came back; what a machine said not by a
 * colleague; what is suggested stays until a person acts. One that was done or put off is there again
 * once something is unread; what is not leaves one that is put off at its place. Of two that write in it
 * at once the later mail is its last one, whoever is first. That somebody else answered than was written to
 * is said while it was they who wrote last, and not of a machine that writes after a person.
 *
 * It is found by the words of what came in at once; upkeep adds those of the mails before a first one.
 * What no other part of a statement reads is written last, so conversations are locked before their words,
 * as `indexThreads` locks them.
 */
export const upsertThreads = (db: Db, workspaceId: string, threads: ThreadToWrite[], at: Date) =>
  sql`
    with k as (
      select *
      from unnest(
        ${threads.map((thread) => thread.id)}::uuid[],
        ${threads.map((thread) => thread.mailbox_id)}::uuid[],
        ${threads.map((thread) => thread.last_message_id)}::uuid[],
        ${threads.map((thread) => thread.campaign_id)}::uuid[],
        ${threads.map((thread) => thread.kind)}::text[],
        ${threads.map((thread) => thread.from_address)}::text[],
        ${threads.map((thread) => thread.is_from_another ?? false)}::boolean[],
        ${threads.map((thread) => thread.subject)}::text[],
        ${threads.map((thread) => thread.snippet)}::text[],
        ${threads.map((thread) => thread.suggestion)}::text[],
        ${timestampArray(threads.map((thread) => thread.arrived_at))}::timestamptz[],
        ${threads.map((thread) => thread.is_of_answer ?? false)}::boolean[],
        ${threads.map((thread) => thread.words)}::tsvector[]
      ) as k (id, mailbox_id, last_message_id, campaign_id, kind, from_address, is_from_another,
        subject, snippet, suggestion, arrived_at, is_of_answer, words)
    ), searched as (
      insert into thread_words as w (workspace_id, thread_id, words, timestamp_updated)
      select ${workspaceId}::uuid, id, words, '-infinity' from k order by id
      on conflict (workspace_id, thread_id) do update set words = w.words || excluded.words
      where length(w.words) < ${piecesMost}::integer
    )
    insert into threads as t (workspace_id, id, mailbox_id, last_message_id, campaign_id, kind,
      from_address, is_from_another, subject, snippet, suggestion, unread, sort_id, waiting,
      timestamp_last_message, timestamp_created, timestamp_updated)
    select ${workspaceId}::uuid, id, mailbox_id, last_message_id, campaign_id, kind,
      from_address, is_from_another, subject, snippet, suggestion, kind <> 'colleague',
      last_message_id, kind = 'reply', arrived_at, ${at}::timestamptz, ${at}::timestamptz
    from k
    order by id
    on conflict (workspace_id, id) do update set
      last_message_id = greatest(t.last_message_id, excluded.last_message_id),
      mailbox_id = excluded.mailbox_id,
      kind = case when excluded.kind = 'reply' or (t.kind <> 'reply' and excluded.kind <> 'colleague')
        or (select is_of_answer from k where k.id = t.id) then excluded.kind else t.kind end,
      from_address = excluded.from_address,
      is_from_another = excluded.is_from_another and (excluded.kind = 'reply' or t.kind <> 'reply'),
      subject = excluded.subject,
      snippet = case when excluded.last_message_id > t.last_message_id
        then excluded.snippet else t.snippet end,
      timestamp_last_message = case when excluded.last_message_id > t.last_message_id
        then excluded.timestamp_last_message else t.timestamp_last_message end,
      suggestion = coalesce(excluded.suggestion, t.suggestion),
      unread = t.unread or excluded.unread,
      sort_id = case when excluded.unread then greatest(t.last_message_id, excluded.sort_id)
        else greatest(t.sort_id, excluded.sort_id) end,
      waiting = excluded.waiting or (t.waiting and excluded.kind <> 'colleague'),
      timestamp_done = case when not excluded.unread then t.timestamp_done end,
      snoozed_until = case when not excluded.unread then t.snoozed_until end,
      timestamp_updated = excluded.timestamp_updated`.execute(db)

/** Where one that is put off until then stands: as if its last message had come in at that time. */
const placeAt = (until: RawBuilder<unknown>) => sql`(
  lpad(to_hex((extract(epoch from ${until}) * 1000)::bigint), 12, '0') || '00000000'
    || right(t.id::text, 12))::uuid`

/**
 * Done, or not any more. What is done stands where its last message is; undone it is put off as it was.
 *
 * @returns the ids of those that changed
 */
export async function updateDone(db: Db, workspaceId: string, ids: string[], doneAt: Date | null) {
  const { rows } = await sql<{ id: string }>`
    update threads t
    set timestamp_done = ${doneAt}::timestamptz,
      sort_id = case when ${doneAt}::timestamptz is null
        then greatest(t.last_message_id, ${placeAt(sql`t.snoozed_until`)})
        else t.last_message_id end,
      unread = t.unread and ${doneAt}::timestamptz is null
    where t.workspace_id = ${workspaceId}::uuid and t.id = any(${ids}::uuid[])
      and (t.timestamp_done is null) <> (${doneAt}::timestamptz is null)
    returning t.id`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * Put off until an instant, when it stands among the others as if it had just come in, or until one that
 * has come, when a newer message keeps it where it is; null: not any more. Its place in the list is written now, so that nothing has to happen then.
 *
 * @returns the ids of those that are there
 */
export async function updateSnooze(db: Db, workspaceId: string, ids: string[], until: Date | null) {
  const { rows } = await sql<{ id: string }>`
    update threads t
    set snoozed_until = ${until}::timestamptz,
      sort_id = greatest(t.last_message_id, ${placeAt(sql`${until}::timestamptz`)}),
      timestamp_done = case when ${until}::timestamptz is null then t.timestamp_done end
    where t.workspace_id = ${workspaceId}::uuid and t.id = any(${ids}::uuid[])
    returning t.id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Conversations go on in another mailbox. */
export const moveThreads = (db: Db, workspaceId: string, ids: string[], mailboxId: string) =>
  db
    .updateTable('threads')
    .set({ mailbox_id: mailboxId })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute()

/** Conversations of a mailbox whose leads are of another one follow them there. */
export const bringThreads = (db: Db, workspaceId: string, from: string, to: string) =>
  sql`
    update threads t
    set mailbox_id = ${to}::uuid
    from leads l
    where t.workspace_id = ${workspaceId}::uuid and t.mailbox_id = ${from}::uuid
      and l.workspace_id = ${workspaceId}::uuid and l.id = t.id and l.mailbox_id = ${to}::uuid`.execute(
    db,
  )

/** @param seen one that has a newer message stays as it is */
export const updateUnread = (
  db: Db,
  workspaceId: string,
  ids: string[],
  unread: boolean,
  seen: string | undefined,
) =>
  sql`
    update threads
    set unread = ${unread}
    where workspace_id = ${workspaceId}::uuid and id = any(${ids}::uuid[])
      and unread <> ${unread} and last_message_id <= coalesce(${seen}::uuid, last_message_id)`.execute(
    db,
  )

/**
 * A person answered: as new as that, read, waiting no more, and nothing is suggested, unless something
 * came in since.
 */
export const answerThread = (
  db: Db,
  workspaceId: string,
  id: string,
  messageId: string,
  { snippet, sentAt }: { snippet: string; sentAt: Date },
  at: Date,
) =>
  sql`
    update threads
    set last_message_id = ${messageId}::uuid, sort_id = ${messageId}::uuid, snippet = ${snippet},
      unread = false, waiting = false, snoozed_until = null, suggestion = null,
      timestamp_last_message = ${sentAt}::timestamptz, timestamp_updated = ${at}::timestamptz
    where workspace_id = ${workspaceId}::uuid and id = ${id}::uuid
      and last_message_id < ${messageId}::uuid`.execute(db)

/**
 * Of conversations whose last message is older than this id.
 *
 * @returns how many; as many as `limit` means that there may be more
 */
export async function clearExcerpts(db: Db, workspaceId: string, id: string, limit: number) {
  const { numAffectedRows } = await sql`
    update threads set subject = '', snippet = ''
    where workspace_id = ${workspaceId}::uuid
      and last_message_id < ${id}::uuid
      and id = any(array(
        select id from threads
        where workspace_id = ${workspaceId}::uuid and last_message_id < ${id}::uuid
          and (subject <> '' or snippet <> '')
        order by id
        limit ${limit}::integer))`.execute(db)
  return Number(numAffectedRows ?? 0)
}
