import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import type { PageRequest } from '../../kernel/http/page.ts'
import { hasWords, type WordsAsked } from './thread-words-queries.ts'

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
  is_from_another: boolean
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
  t.is_from_another, t.subject, t.snippet, t.unread, t.waiting, t.timestamp_done,
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
