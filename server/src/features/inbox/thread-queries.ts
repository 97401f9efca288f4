import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import { newestFirst } from '../../kernel/db/newest-first.ts'
import type { PageRequest } from '../../kernel/http/page.ts'

export interface ThreadToWrite {
  id: string
  last_message_id: string
  campaign_id: string
  kind: string
  from_address: string
  subject: string
  snippet: string
  suggestion: string | null
}

/** A conversation is as new and as unread as what came in last. */
export const upsertThreads = (
  db: Db,
  workspaceId: string,
  mailboxId: string,
  threads: ThreadToWrite[],
  at: Date,
) =>
  sql`
    insert into threads as t (workspace_id, mailbox_id, id, last_message_id, campaign_id, kind,
      from_address, subject, snippet, suggestion, unread, timestamp_created, timestamp_updated)
    select ${workspaceId}::uuid, ${mailboxId}::uuid, id, last_message_id, campaign_id, kind,
      from_address, subject, snippet, suggestion, true, ${at}::timestamptz, ${at}::timestamptz
    from unnest(
      ${threads.map((thread) => thread.id)}::uuid[],
      ${threads.map((thread) => thread.last_message_id)}::uuid[],
      ${threads.map((thread) => thread.campaign_id)}::uuid[],
      ${threads.map((thread) => thread.kind)}::text[],
      ${threads.map((thread) => thread.from_address)}::text[],
      ${threads.map((thread) => thread.subject)}::text[],
      ${threads.map((thread) => thread.snippet)}::text[],
      ${threads.map((thread) => thread.suggestion)}::text[]
    ) as k (id, last_message_id, campaign_id, kind, from_address, subject, snippet, suggestion)
    order by id
    on conflict (workspace_id, id) do update set
      last_message_id = excluded.last_message_id, mailbox_id = excluded.mailbox_id,
      kind = excluded.kind, from_address = excluded.from_address, subject = excluded.subject,
      snippet = excluded.snippet, suggestion = excluded.suggestion, unread = true,
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
  ...(['subject', 'snippet', 'unread', 'suggestion'] as const),
  ...(['timestamp_created', 'timestamp_updated'] as const),
]

/** Newest first from before the message of the cursor, and one more than the page holds. */
export const listThreads = (
  db: Db,
  workspaceId: string,
  page: PageRequest,
  filter: ThreadFilter,
): Promise<Thread[]> =>
  db
    .selectFrom('threads')
    .select(threadColumns)
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
    .select(threadColumns)
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()

export const updateUnread = (db: Db, workspaceId: string, ids: string[], unread: boolean) =>
  sql`
    update threads
    set unread = ${unread}
    where workspace_id = ${workspaceId}::uuid and id = any(${ids}::uuid[])
      and unread <> ${unread}`.execute(db)

/** A person answered: as new as that, and read, unless something came in since. */
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
    set last_message_id = ${messageId}::uuid, snippet = ${snippet}, unread = false,
      timestamp_updated = ${at}::timestamptz
    where workspace_id = ${workspaceId}::uuid and id = ${id}::uuid
      and last_message_id < ${messageId}::uuid`.execute(db)
