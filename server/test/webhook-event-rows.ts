import { type Insertable, sql } from 'kysely'
import { sha256 } from '../src/kernel/crypto.ts'
import type { Db } from '../src/kernel/db/db.ts'
import type { WebhookEvents } from '../src/kernel/db/types.gen.ts'
import type { TestContext } from './context.ts'

type Row = Insertable<WebhookEvents>

/** One attempt, a success at once unless told otherwise; with the event that it delivered. */
export async function insertAttempt(
  ctx: TestContext,
  workspaceId: string,
  fields: Partial<Row> = {},
): Promise<Row> {
  const row: Row = {
    workspace_id: workspaceId,
    id: ctx.newId(),
    webhook_id: ctx.newId(),
    webhook_url: 'https://hooks.example.com/in',
    event_id: ctx.newId(),
    event_type: 'lead.interested',
    campaign_id: null,
    lead_email: null,
    retry_group_id: ctx.newId(),
    retry_count: 0,
    status_code: 200,
    success: true,
    will_retry: false,
    timestamp_next_retry: null,
    error_message: null,
    response_time_ms: 12,
    response_body: 'ok',
    ...fields,
  }
  await ctx.db.insertInto('webhook_events').values(row).execute()
  await insertUrl(ctx.db, row)
  return row
}

export const failure = { success: false, status_code: 503, error_message: 'http_status: 503' }

export const insertEvent = (db: Db, workspaceId: string, id: string, body: object) =>
  db
    .insertInto('events')
    .values({ workspace_id: workspaceId, id, type: 'lead.interested', body: JSON.stringify(body) })
    .execute()

export const insertCount = (
  db: Db,
  workspaceId: string,
  date: string,
  slot: number,
  succeeded: number,
  failed: number,
) =>
  db
    .insertInto('webhook_event_counts')
    .values({ workspace_id: workspaceId, date, slot, succeeded, failed })
    .execute()

export interface History {
  webhookIds: string[]
  urls: string[]
  types: string[]
  emails: string[]
  /** Half of the attempts of each destination went to one URL, the later half to the next. */
  urlsOf: (webhook: number) => string[]
}

/**
 * Many attempts in one statement, spread evenly over a span of time that ends now; one in ten
 * failed, a few succeeded at the second attempt. Destinations, types and addresses go round.
 */
export async function insertHistory(
  ctx: TestContext,
  workspaceId: string,
  count: number,
  spanMs: number,
): Promise<History> {
  const urls = Array.from({ length: 5 }, (_, i) => `https://hooks.example.com/${i}`)
  const history: History = {
    webhookIds: Array.from({ length: 20 }, () => ctx.newId()),
    urls,
    types: ['email.sent', 'email.opened', 'lead.interested'],
    emails: Array.from({ length: 100 }, (_, i) => `lead${i}@example.com`),
    urlsOf: (webhook) => [0, 1].map((later) => urls[(webhook + later) % urls.length] ?? ''),
  }
  const startMs = ctx.now().getTime() - spanMs
  const { webhookIds, types, emails } = history
  await sql`
    insert into webhook_events (workspace_id, id, webhook_id, webhook_url, event_id, event_type,
      lead_email, retry_group_id, retry_count, status_code, success, will_retry, response_time_ms)
    select ${workspaceId}::uuid, made.id, (${webhookIds}::uuid[])[1 + n % 20],
      (${urls}::text[])[1 + (n + case when n > ${count}::integer / 2 then 1 else 0 end) % 5], made.id,
      (${types}::text[])[1 + n % 3], (${emails}::text[])[1 + n % 100], made.id, n / 7 % 2,
      case when n % 11 = 0 then 503 else 200 end, n % 11 <> 0, false, 12
    from generate_series(1, ${count}::integer) n
    cross join lateral (
      select (lpad(to_hex(${startMs}::bigint + n * ${spanMs}::bigint / ${count}::bigint), 12, '0')
        || '7000' || lpad(to_hex(n), 16, '8'))::uuid as id
    ) made`.execute(ctx.db)
  for (const [i, webhook_id] of webhookIds.entries()) {
    for (const webhook_url of history.urlsOf(i)) {
      await insertUrl(ctx.db, { workspace_id: workspaceId, webhook_id, webhook_url })
    }
  }
  await sql`analyze webhook_events`.execute(ctx.db)
  return history
}

const insertUrl = (
  db: Db,
  row: { workspace_id: string; webhook_id: string; webhook_url: string },
) =>
  db
    .insertInto('webhook_urls')
    .values({
      workspace_id: row.workspace_id,
      webhook_id: row.webhook_id,
      url: row.webhook_url,
      url_hash: sha256(row.webhook_url),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()

/** The middle of this week: partitions of the week before and of the weeks to come are there. */
export function midweek(now: Date): Date {
  const day = Math.floor(now.getTime() / dayMs)
  return new Date((day - ((day + 3) % 7) + 3.5) * dayMs)
}

const dayMs = 86_400_000
