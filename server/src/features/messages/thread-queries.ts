import { type RawBuilder, sql } from 'kysely'
import { timestampArray } from '../../kernel/db/binary-array.ts'
import type { Db } from '../../kernel/db/db.ts'
import type { PageRequest } from '../../kernel/http/page.ts'
import { hasWords, piecesMost, type WordsAsked } from './thread-words-queries.ts'

export interface ThreadToWrite {
  id: string
  mailbox_id: string
  last_message_id: string
  campaign_id: string
  kind: string
  from_address: string
  subject: string
  snippet: string
  suggestion: string | null
  arrived_at: Date
  /** It tells that what a person answered did not arrive. */
  is_of_answer?: boolean
  /** Of what came in, as `threadWordsOf` writes them. */
  words: string
}

/**
 * A conversation is as new and as unread as what came in last. That a person answered in it is not
 * covered by what a machine writes next, unless our answer came back; what a machine said not by a
 * colleague; what is suggested stays until a person acts. One that was done or put off is there again
 * once something is unread; what is not leaves one that is put off at its place. Of two that write in it
 * at once the later mail is its last one, whoever is first.
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
        ${threads.map((thread) => thread.subject)}::text[],
        ${threads.map((thread) => thread.snippet)}::text[],
        ${threads.map((thread) => thread.suggestion)}::text[],
        ${timestampArray(threads.map((thread) => thread.arrived_at))}::timestamptz[],
        ${threads.map((thread) => thread.is_of_answer ?? false)}::boolean[],
        ${threads.map((thread) => thread.words)}::tsvector[]
      ) as k (id, mailbox_id, last_message_id, campaign_id, kind, from_address, subject, snippet,
        suggestion, arrived_at, is_of_answer, words)
    ), searched as (
      insert into thread_words as w (workspace_id, thread_id, words, timestamp_updated)
      select ${workspaceId}::uuid, id, words, '-infinity' from k order by id
      on conflict (workspace_id, thread_id) do update set words = w.words || excluded.words
      where length(w.words) < ${piecesMost}::integer
    )
    insert into threads as t (workspace_id, id, mailbox_id, last_message_id, campaign_id, kind,
      from_address, subject, snippet, suggestion, unread, sort_id, waiting,
      timestamp_last_message, timestamp_created, timestamp_updated)
    select ${workspaceId}::uuid, id, mailbox_id, last_message_id, campaign_id, kind,
      from_address, subject, snippet, suggestion, kind <> 'colleague', last_message_id,
      kind = 'reply', arrived_at, ${at}::timestamptz, ${at}::timestamptz
    from k
    order by id
    on conflict (workspace_id, id) do update set
      last_message_id = greatest(t.last_message_id, excluded.last_message_id),
      mailbox_id = excluded.mailbox_id,
      kind = case when excluded.kind = 'reply' or (t.kind <> 'reply' and excluded.kind <> 'colleague')
        or (select is_of_answer from k where k.id = t.id) then excluded.kind else t.kind end,
      from_address = excluded.from_address, subject = excluded.subject,
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

/** What of the inbox somebody looks at. */
export const threadViews = ['all', 'waiting', 'done', 'snoozed', 'automatic', 'bounces'] as const
type ThreadView = (typeof threadViews)[number]

export interface ThreadFilter {
  view?: ThreadView | undefined
  mailboxId?: string | undefined
  campaignId?: string | undefined
  kind?: string | undefined
  unread?: boolean | undefined
  /** The status of the lead, or the value of its label. */
  label?: string | undefined
  words?: WordsAsked | undefined
}

export interface Thread {
  /** Of its lead. */
  id: string
  last_message_id: string
  mailbox_id: string
  campaign_id: string
  /** Of what came in last. */
  kind: 'reply' | 'auto_reply' | 'bounce' | 'complaint' | 'colleague'
  from_address: string
  subject: string
  snippet: string
  unread: boolean
  suggestion: 'unsubscribed' | null
  waiting: boolean
  timestamp_done: Date | null
  snoozed_until: Date | null
  timestamp_last_message: Date
  timestamp_created: Date
  timestamp_updated: Date
  lead_email: string | null
  lead_name: string | null
  lead_company: string | null
  lead_status: string | null
  campaign_name: string | null
  /** Null: it was removed. */
  mailbox_address: string | null
}

/** A row as it is listed, with what a page begins after. */
export interface ListedThread extends Thread {
  sort_id: string
}

/** What is done is suggested no more, whoever did it, and put off no more until that is undone. */
const threadColumns = sql`
  t.id, t.last_message_id, t.sort_id, t.mailbox_id, t.campaign_id, t.kind, t.from_address,
  t.subject, t.snippet, t.unread, t.waiting, t.timestamp_done,
  case when t.timestamp_done is null then t.snoozed_until end as snoozed_until,
  coalesce(t.timestamp_last_message, t.timestamp_updated) as timestamp_last_message,
  t.timestamp_created, t.timestamp_updated,
  case when 'unsubscribed' in (l.status, l.stop_reason) then null else t.suggestion end as suggestion,
  l.email as lead_email, nullif(concat_ws(' ', l.first_name, l.last_name), '') as lead_name,
  l.company_name as lead_company, l.status as lead_status,
  c.name as campaign_name, m.address as mailbox_address
  from threads t
  left join leads l on l.workspace_id = t.workspace_id and l.id = t.id
  left join campaigns c on c.workspace_id = t.workspace_id and c.id = t.campaign_id
  left join mailboxes m on m.workspace_id = t.workspace_id and m.id = t.mailbox_id`

const isOpen = sql`t.timestamp_done is null`
/** As the index has it, so that only conversations that may wait are looked at. */
const mayWait = sql`${isOpen} and (t.waiting or t.snoozed_until is not null)`
const isBack = (now: Date) =>
  sql`(t.snoozed_until is null or t.snoozed_until <= ${now}::timestamptz)`

const conditionOf: Record<ThreadView, (now: Date) => RawBuilder<unknown>> = {
  all: () => sql`true`,
  waiting: (now) => sql`${mayWait} and ${isBack(now)}`,
  done: () => sql`t.timestamp_done is not null`,
  snoozed: (now) =>
    sql`${isOpen} and t.snoozed_until is not null and t.snoozed_until > ${now}::timestamptz`,
  automatic: (now) => sql`t.kind = 'auto_reply' and ${isOpen} and ${isBack(now)}`,
  bounces: (now) => sql`t.kind in ('bounce', 'complaint') and ${isOpen} and ${isBack(now)}`,
}

/** Newest first from before the cursor, and one more than the page holds. */
export async function findThreads(
  db: Db,
  workspaceId: string,
  page: PageRequest,
  filter: ThreadFilter,
  now: Date,
): Promise<ListedThread[]> {
  const { view = 'all', mailboxId, campaignId, kind, unread, label, words } = filter
  const conditions = [
    sql`t.workspace_id = ${workspaceId}::uuid`,
    conditionOf[view](now),
    ...(page.startingAfter ? [sql`t.sort_id < ${page.startingAfter}::uuid`] : []),
    ...(mailboxId ? [sql`t.mailbox_id = ${mailboxId}::uuid`] : []),
    ...(campaignId ? [sql`t.campaign_id = ${campaignId}::uuid`] : []),
    ...(kind ? [sql`t.kind = ${kind}`] : []),
    ...(unread ? [sql`t.unread`] : []),
    ...(label ? [sql`l.status = ${label}`] : []),
    ...(words ? [hasWords(workspaceId, words)] : []),
  ]
  const { rows } = await sql<ListedThread>`
    select ${threadColumns}
    where ${sql.join(conditions, sql` and `)}
    order by t.sort_id desc
    limit ${page.limit + 1}`.execute(db)
  return rows
}

export async function findThread(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<Thread | undefined> {
  const { rows } = await sql<ListedThread>`
    select ${threadColumns}
    where t.workspace_id = ${workspaceId}::uuid and t.id = ${id}::uuid`.execute(db)
  const [row] = rows
  return row && withoutCursor(row)
}

export const withoutCursor = <T extends ListedThread>({ sort_id: _, ...thread }: T) => thread

export interface ThreadCounts {
  waiting: number
  unread: number
  snoozed: number
  automatic: number
  bounces: number
}

/** Each up to `most`: more than that nobody tells apart, and a count costs as much as it says. */
export async function countThreads(
  db: Db,
  workspaceId: string,
  now: Date,
  most: number,
): Promise<ThreadCounts> {
  const count = (condition: RawBuilder<unknown>) => sql`(
    select count(*)::integer from (
      select from threads t
      where t.workspace_id = ${workspaceId}::uuid and ${condition}
      order by t.sort_id desc
      limit ${most}) as counted)`
  const { rows } = await sql<ThreadCounts>`
    select ${count(conditionOf.waiting(now))} as waiting, ${count(sql`t.unread`)} as unread,
      ${count(conditionOf.snoozed(now))} as snoozed,
      ${count(conditionOf.automatic(now))} as automatic,
      ${count(conditionOf.bounces(now))} as bounces`.execute(db)
  return rows[0] as ThreadCounts
}

export interface WaitingCount {
  mailbox_id: string
  /** Of the mailbox, which may be removed. */
  address: string | null
  /** Of the lead; null: it is gone. */
  label: string | null
  count: number
}

/** Of the conversations that wait, by mailbox and by what the lead is; of the newest `most`. */
export async function countWaiting(
  db: Db,
  workspaceId: string,
  now: Date,
  most: number,
): Promise<WaitingCount[]> {
  const { rows } = await sql<WaitingCount>`
    select w.mailbox_id, coalesce(m.address, r.address) as address, l.status as label,
      count(*)::integer as count
    from (
      select t.workspace_id, t.id, t.mailbox_id from threads t
      where t.workspace_id = ${workspaceId}::uuid and ${conditionOf.waiting(now)}
      order by t.sort_id desc
      limit ${most}) as w
    left join leads l on l.workspace_id = w.workspace_id and l.id = w.id
    left join mailboxes m on m.workspace_id = w.workspace_id and m.id = w.mailbox_id
    left join removed_mailboxes r on r.workspace_id = w.workspace_id and r.id = w.mailbox_id
    group by w.mailbox_id, coalesce(m.address, r.address), l.status
    order by w.mailbox_id, l.status`.execute(db)
  return rows
}

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

/** Those of a mailbox whose leads are of another one follow them there. */
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
