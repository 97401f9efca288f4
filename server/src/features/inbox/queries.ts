import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import type { PageRequest } from '../../kernel/http/page.ts'

/** The lead of each address that this mailbox wrote to last. */
export async function findContacted(
  db: Db,
  workspaceId: string,
  mailboxId: string,
  foldedAddresses: string[],
) {
  const { rows } = await sql<{ id: string; email_folded: string }>`
    select distinct on (email_folded) id, email_folded
    from leads
    where workspace_id = ${workspaceId}::uuid
      and email_folded = any(array(select unnest(${foldedAddresses}::text[])))
      and mailbox_id = ${mailboxId}::uuid and timestamp_last_contact is not null
    order by email_folded, timestamp_last_contact desc, id`.execute(db)
  return rows
}

export interface CorrespondentRow {
  id: string
  campaign_id: string
  email_folded: string
  timezone: string
  soft_bounces: number
}

/** Leads that are still there, with the zone that their campaign's days are told by. */
export async function findCorrespondents(db: Db, workspaceId: string, leadIds: string[]) {
  const { rows } = await sql<CorrespondentRow>`
    select l.id, l.campaign_id, l.email_folded,
      c.campaign_schedule #>> '{schedules,0,timezone}' as timezone,
      (select count(*)::int from messages m
       where m.workspace_id = l.workspace_id and m.thread_id = l.id
         and m.kind = 'bounce' and m.details ->> 'bounce' = 'soft') as soft_bounces
    from leads l
    join campaigns c on c.workspace_id = l.workspace_id and c.id = l.campaign_id
    where l.workspace_id = ${workspaceId}::uuid
      and l.id = any(array(select unnest(${leadIds}::uuid[])))`.execute(db)
  return rows
}

export interface SentRow {
  id: string
  thread_id: string
  message_id: string | null
  subject: string
  step: number | null
  variant: number | null
  from_address: string
}

/** These mails of ours, and of each conversation the last one. */
export async function findSent(db: Db, workspaceId: string, ids: string[], leadIds: string[]) {
  const { rows } = await sql<SentRow>`
    select id, thread_id, message_id, subject, step, variant, from_address
    from messages
    where workspace_id = ${workspaceId}::uuid
      and id = any(array(select unnest(${ids}::uuid[])))
    union all
    (select distinct on (thread_id) id, thread_id, message_id, subject, step, variant, from_address
     from messages
     where workspace_id = ${workspaceId}::uuid
       and thread_id = any(array(select unnest(${leadIds}::uuid[]))) and direction = 'out'
     order by thread_id, id desc)`.execute(db)
  return rows
}

export const findUnsubscribesByReply = async (db: Db, workspaceId: string) =>
  (
    await db
      .selectFrom('workspaces')
      .select('unsubscribe_by_reply')
      .where('id', '=', workspaceId)
      .executeTakeFirst()
  )?.unsubscribe_by_reply ?? false

export interface Checkpoint {
  uid_validity: string
  next_uid: number
}

/** Nobody else reads on from it until the transaction ends. */
export async function lockCheckpoint(
  db: Db,
  workspaceId: string,
  mailboxId: string,
  folder: string,
): Promise<Checkpoint | undefined> {
  const row = await db
    .selectFrom('mailbox_folders')
    .select(['uid_validity', 'next_uid'])
    .where('workspace_id', '=', workspaceId)
    .where('mailbox_id', '=', mailboxId)
    .where('folder', '=', folder)
    .forUpdate()
    .executeTakeFirst()
  return row && { uid_validity: row.uid_validity, next_uid: Number(row.next_uid) }
}

export const saveCheckpoint = (
  db: Db,
  workspaceId: string,
  mailboxId: string,
  folder: string,
  { uid_validity, next_uid }: Checkpoint,
  at: Date,
) =>
  db
    .insertInto('mailbox_folders')
    .values({
      workspace_id: workspaceId,
      mailbox_id: mailboxId,
      folder,
      uid_validity,
      next_uid,
      timestamp_read: at,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'mailbox_id', 'folder'])
        .doUpdateSet({ uid_validity, next_uid, timestamp_read: at }),
    )
    .execute()

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
    .$if(page.startingAfter !== undefined, (query) =>
      query.where('last_message_id', '<', page.startingAfter ?? ''),
    )
    .$if(filter.mailboxId !== undefined, (query) =>
      query.where('mailbox_id', '=', filter.mailboxId ?? ''),
    )
    .$if(filter.campaignId !== undefined, (query) =>
      query.where('campaign_id', '=', filter.campaignId ?? ''),
    )
    .$if(filter.kind !== undefined, (query) => query.where('kind', '=', filter.kind ?? ''))
    .$if(filter.unread === true, (query) => query.where('unread', '=', true))
    .orderBy('last_message_id', 'desc')
    .limit(page.limit + 1)
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

export interface SentCopy {
  /** Folded. */
  recipient: string
  subject: string
  date: Date
}

/** The mail of ours behind each copy: to the same person, with the same subject, of the same minutes. */
export async function findSentTo(
  db: Db,
  workspaceId: string,
  mailboxId: string,
  copies: SentCopy[],
) {
  const { rows } = await sql<{
    position: number
    id: string
    lead_id: string | null
    campaign_id: string | null
  }>`
    select k.position::int as position, m.id, m.lead_id, m.campaign_id
    from unnest(
      ${copies.map((copy) => copy.recipient)}::text[],
      ${copies.map((copy) => copy.subject)}::text[],
      ${copies.map((copy) => copy.date)}::timestamptz[]
    ) with ordinality as k (recipient, subject, date, position)
    join leads l
      on l.workspace_id = ${workspaceId}::uuid and l.email_folded = k.recipient
      and l.mailbox_id = ${mailboxId}::uuid
    join messages m
      on m.workspace_id = ${workspaceId}::uuid and m.thread_id = l.id and m.direction = 'out'
      and m.subject = k.subject
      and m.timestamp between k.date - interval '10 minutes' and k.date + interval '10 minutes'`.execute(
    db,
  )
  return rows
}
