import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import { newestFirst } from '../../kernel/db/newest-first.ts'
import type { PageRequest } from '../../kernel/http/page.ts'

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
}

/**
 * A conversation is as new and as unread as what came in last. That a person answered in it is not
 * covered by what a machine writes next, what a machine said not by a colleague; what is suggested
 * stays until a person acts.
 */
export const upsertThreads = (db: Db, workspaceId: string, threads: ThreadToWrite[], at: Date) =>
  sql`
    insert into threads as t (workspace_id, id, mailbox_id, last_message_id, campaign_id, kind,
      from_address, subject, snippet, suggestion, unread, timestamp_created, timestamp_updated)
    select ${workspaceId}::uuid, id, mailbox_id, last_message_id, campaign_id, kind,
      from_address, subject, snippet, suggestion, kind <> 'colleague', ${at}::timestamptz,
      ${at}::timestamptz
    from unnest(
      ${threads.map((thread) => thread.id)}::uuid[],
      ${threads.map((thread) => thread.mailbox_id)}::uuid[],
      ${threads.map((thread) => thread.last_message_id)}::uuid[],
      ${threads.map((thread) => thread.campaign_id)}::uuid[],
      ${threads.map((thread) => thread.kind)}::text[],
      ${threads.map((thread) => thread.from_address)}::text[],
      ${threads.map((thread) => thread.subject)}::text[],
      ${threads.map((thread) => thread.snippet)}::text[],
      ${threads.map((thread) => thread.suggestion)}::text[]
    ) as k (id, mailbox_id, last_message_id, campaign_id, kind, from_address, subject, snippet,
      suggestion)
    order by id
    on conflict (workspace_id, id) do update set
      last_message_id = excluded.last_message_id, mailbox_id = excluded.mailbox_id,
      kind = case when excluded.kind = 'reply' or (t.kind <> 'reply' and excluded.kind <> 'colleague')
        then excluded.kind else t.kind end,
      from_address = excluded.from_address, subject = excluded.subject, snippet = excluded.snippet,
      suggestion = coalesce(excluded.suggestion, t.suggestion),
      unread = t.unread or excluded.unread,
      timestamp_updated = excluded.timestamp_updated`.execute(db)

export interface ThreadFilter {
  mailboxId?: string | undefined
  campaignId?: string | undefined
  kind?: string | undefined
  unread?: boolean | undefined
}

export interface Thread {
  id: string
  last_message_id: string
  mailbox_id: string
  campaign_id: string
  kind: string
  from_address: string
  subject: string
  snippet: string
  unread: boolean
  suggestion: string | null
  timestamp_created: Date
  timestamp_updated: Date
}

const threadColumns = [
  ...(['id', 'last_message_id', 'mailbox_id', 'campaign_id', 'kind', 'from_address'] as const),
  ...(['subject', 'snippet', 'unread', 'timestamp_created', 'timestamp_updated'] as const),
]

/** What is done is suggested no more, whoever did it. */
const openSuggestion = (workspaceId: string) =>
  sql<string | null>`
  case when not exists (
    select from leads l
    where l.workspace_id = ${workspaceId}::uuid and l.id = threads.id
      and 'unsubscribed' in (l.status, l.stop_reason)
  ) then suggestion end`.as('suggestion')

/** Newest first from before the message of the cursor, and one more than the page holds. */
export const findThreads = (
  db: Db,
  workspaceId: string,
  page: PageRequest,
  filter: ThreadFilter,
): Promise<Thread[]> =>
  db
    .selectFrom('threads')
    .select([...threadColumns, openSuggestion(workspaceId)])
    .where('workspace_id', '=', workspaceId)
    .$if(filter.mailboxId !== undefined, (query) =>
      query.where('mailbox_id', '=', filter.mailboxId ?? ''),
    )
    .$if(filter.campaignId !== undefined, (query) =>
      query.where('campaign_id', '=', filter.campaignId ?? ''),
    )
    .$if(filter.kind !== undefined, (query) => query.where('kind', '=', filter.kind ?? ''))
    .$if(filter.unread === true, (query) => query.where('unread', '=', true))
    .$call(newestFirst(page, 'last_message_id'))
    .execute()

export const findThread = (db: Db, workspaceId: string, id: string): Promise<Thread | undefined> =>
  db
    .selectFrom('threads')
    .select([...threadColumns, openSuggestion(workspaceId)])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()

/** Conversations go on in another mailbox. */
export const moveThreads = (db: Db, workspaceId: string, ids: string[], mailboxId: string) =>
  db
    .updateTable('threads')
    .set({ mailbox_id: mailboxId })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute()

export const updateUnread = (db: Db, workspaceId: string, ids: string[], unread: boolean) =>
  sql`
    update threads
    set unread = ${unread}
    where workspace_id = ${workspaceId}::uuid and id = any(${ids}::uuid[])
      and unread <> ${unread}`.execute(db)

/** A person answered: as new as that, read, and nothing is suggested, unless something came in since. */
export const answerThread = (
  db: Db,
  workspaceId: string,
  id: string,
  messageId: string,
  snippet: string,
  at: Date,
) =>
  sql`
    update threads
    set last_message_id = ${messageId}::uuid, snippet = ${snippet}, unread = false, suggestion = null,
      timestamp_updated = ${at}::timestamptz
    where workspace_id = ${workspaceId}::uuid and id = ${id}::uuid
      and last_message_id < ${messageId}::uuid`.execute(db)
