import { type Insertable, sql, type Updateable } from 'kysely'
import { sha256 } from '../../kernel/crypto.ts'
import type { Db } from '../../kernel/db/db.ts'
import { newestFirst } from '../../kernel/db/newest-first.ts'
import { prepared } from '../../kernel/db/prepared.ts'
import type { Webhooks } from '../../kernel/db/types.gen.ts'
import type { PageRequest } from '../../kernel/http/page.ts'
import { runHash, runHashOfAttempt } from './run-hash.ts'

export const insertWebhook = (db: Db, webhook: Insertable<Webhooks>) =>
  db.insertInto('webhooks').values(webhook).returningAll().executeTakeFirstOrThrow()

export async function countWebhooks(db: Db, workspaceId: string): Promise<number> {
  const { count } = await db
    .selectFrom('webhooks')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return count
}

export const findWebhook = (db: Db, workspaceId: string, id: string) =>
  db
    .selectFrom('webhooks')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()

/** Locks the row, so that two changes of a destination are made one after the other. */
export const lockWebhook = (db: Db, workspaceId: string, id: string) =>
  db
    .selectFrom('webhooks')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

export interface WebhookFilter {
  campaign: string | undefined
  eventType: string | undefined
}

/** Newest first, and one more than the page holds. */
export const listWebhooks = (
  db: Db,
  workspaceId: string,
  filter: WebhookFilter,
  page: PageRequest,
) =>
  db
    .selectFrom('webhooks')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .$if(filter.campaign !== undefined, (query) =>
      query.where('campaign', '=', filter.campaign ?? ''),
    )
    .$if(filter.eventType !== undefined, (query) =>
      query.where('event_type', '=', filter.eventType ?? ''),
    )
    .$call(newestFirst(page))
    .execute()

/**
 * Every change of a destination raises its version, by which runners see that it has changed. It is the
 * time of the change in microseconds: counted up, a standby that lagged would give the number again that
 * the old primary gave, and the runners would go on with what they have read of that.
 */
export const nextVersion = sql<string>`
  greatest(version + 1, (extract(epoch from outrider_now()) * 1000000)::bigint)`

export const updateWebhook = (
  db: Db,
  workspaceId: string,
  id: string,
  changes: Updateable<Webhooks>,
) =>
  db
    .updateTable('webhooks')
    .set({ ...changes, version: nextVersion })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

export const deleteWebhook = (db: Db, workspaceId: string, id: string) =>
  db
    .deleteFrom('webhooks')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()

/** Only an active one, so that the first reason stays; with a URL, only while it is the one asked. */
export async function disableWebhook(
  db: Db,
  workspaceId: string,
  id: string,
  reason: string,
  disabledAt: Date,
  url?: string,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('webhooks')
    .set({
      status: 'disabled',
      disabled_reason: reason,
      timestamp_disabled: disabledAt,
      timestamp_updated: disabledAt,
      version: nextVersion,
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('status', '=', 'active')
    .$if(url !== undefined, (query) => query.where('target_hook_url', '=', url ?? ''))
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** The row outlives the URL and the destination, as long as there are attempts that a filter by URL may find. */
export const insertUrl = (db: Db, workspaceId: string, webhookId: string, url: string, at: Date) =>
  db
    .insertInto('webhook_urls')
    .values({
      ...{ workspace_id: workspaceId, webhook_id: webhookId, url, url_hash: sha256(url) },
      timestamp_used: at,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'url_hash', 'webhook_id'])
        .doUpdateSet({ timestamp_used: at }),
    )
    .execute()

/** Whether the destination ever had the URL, and how many it had. */
export async function countUrls(db: Db, workspaceId: string, webhookId: string, url: string) {
  const { rows } = await sql<{ count: number; is_known: boolean }>`
    select count(*)::int as count, coalesce(bool_or(url_hash = ${sha256(url)}), false) as is_known
    from webhook_urls
    where workspace_id = ${workspaceId}::uuid and webhook_id = ${webhookId}::uuid`.execute(db)
  return rows[0] ?? { count: 0, is_known: false }
}

/** How many destinations were made with ids from this one on, deleted ones too. */
export async function countMade(db: Db, workspaceId: string, from: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct webhook_id)::int as count from webhook_urls
    where workspace_id = ${workspaceId}::uuid and webhook_id >= ${from}::uuid`.execute(db)
  return rows[0]?.count ?? 0
}

/** Of a URL with this outcome, by the index of runs: as a join it might be found by walking all attempts. */
const firstAttempt = (workspaceId: string, outcome: string) => sql`
  select e.id from webhook_events e
  where e.workspace_id = ${workspaceId}::uuid
    and ${runHashOfAttempt} = ${runHash('u.url', 'u.webhook_id', `outcomes.${outcome}`)}
  order by ${runHashOfAttempt}, e.id
  limit 1`

/** Where a look through the URLs goes on. */
export interface UrlPosition {
  url_hash: Buffer
  webhook_id: string
}

/**
 * Of the next `most` URLs deletes those that no destination has, that none has begun to use since
 * `before`, and that have no attempt. While anything waits for the destination, or is to be spread to
 * many, they stay: it is recorded at one of them.
 *
 * @returns where it ended; undefined: there were no further ones
 */
export async function deleteUnusedUrls(
  db: Db,
  workspaceId: string,
  { url_hash, webhook_id }: UrlPosition,
  before: Date,
  most: number,
): Promise<UrlPosition | undefined> {
  const { rows } = await sql<UrlPosition>`
    with page as materialized (
      select url_hash, webhook_id from webhook_urls
      where workspace_id = ${workspaceId}::uuid
        and (url_hash, webhook_id) > (${url_hash}::bytea, ${webhook_id}::uuid)
      order by url_hash, webhook_id
      limit ${most}::integer
    ), deleted as (
      delete from webhook_urls u
      using page cross join (values (true, false)) as outcomes (succeeded, failed)
      where u.workspace_id = ${workspaceId}::uuid
        and u.url_hash = page.url_hash and u.webhook_id = page.webhook_id
        and coalesce(u.timestamp_used, '-infinity') < ${before}::timestamptz
        and (
          select w.target_hook_url from webhooks w
          where w.workspace_id = ${workspaceId}::uuid and w.id = u.webhook_id
        ) is distinct from u.url
        and (
          select d.id from deliveries d
          where d.workspace_id = ${workspaceId}::uuid and d.webhook_id = u.webhook_id
          order by d.due_at, d.id
          limit 1
        ) is null
        and not exists (select from fanouts f where f.workspace_id = ${workspaceId}::uuid)
        and (${firstAttempt(workspaceId, 'succeeded')}) is null
        and (${firstAttempt(workspaceId, 'failed')}) is null
    )
    select url_hash, webhook_id from page
    order by url_hash desc, webhook_id desc
    limit 1`.execute(db)
  return rows[0]
}

/** Which of the given types a destination names, disabled ones too. */
export async function listSubscribedTypes(db: Db, workspaceId: string, types: string[]) {
  if (types.length === 0) return []
  const rows = await db
    .selectFrom('webhooks')
    .select('event_type')
    .distinct()
    .where('workspace_id', '=', workspaceId)
    .where('event_type', 'in', types)
    .execute()
  return rows.map((row) => row.event_type)
}

export interface Subscriber {
  id: string
  event_type: string
  /** Null: every event of the workspace. */
  campaign: string | null
}

export const findSubscribers = prepared<[string, string[]], Subscriber>(
  'find_subscribers',
  `select w.id, w.event_type, w.campaign
   from webhooks w
   join workspaces p on p.id = w.workspace_id and p.plan_webhooks
   where w.workspace_id = $1 and w.status = 'active' and w.event_type = any($2::text[])
   order by w.id`,
)

/** A destination as the delivery engine reads it; what is sealed is still sealed. */
export interface Destination {
  workspace_id: string
  id: string
  target_hook_url: string
  status: 'active' | 'disabled'
  /** Grows with every change. */
  version: number
  /** Active, in the plan, and its workspace not being moved: only then is anything sent. */
  may_receive: boolean
  event_type: string
  custom_interest_value: string | null
  campaign: string | null
  headers: Buffer | null
  secret: Buffer
  previous_secret: Buffer | null
  previous_secret_expires: Date | null
}

/** Of a webhook `w` and its workspace `p`: `may_receive` of a destination. */
export const mayReceive = `w.status = 'active' and p.plan_webhooks and p.moving_to is null`

/** In no order; those that are gone are missing. */
export const findDestinations = prepared<[string, string[]], Destination>(
  'find_destinations',
  `select w.workspace_id, w.id, w.target_hook_url, w.status, w.version::float8 as version,
     ${mayReceive} as may_receive, w.event_type, w.custom_interest_value, w.campaign, w.headers,
     w.secret, w.previous_secret, w.previous_secret_expires
   from webhooks w
   join workspaces p on p.id = w.workspace_id
   where w.workspace_id = $1 and w.id = any($2::uuid[])`,
)
