import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import { firstIdAt, timeOfId } from '../../kernel/ids.ts'
import { runHash, runHashOfAttempt } from '../webhooks/index.ts'
import { clockLagMs } from './delivery.ts'
import type { DeliveryToInsert } from './queries.ts'

/** Only of events that are still stored, and tells how many: a partition may have been dropped since. */
export async function insertReplays(
  db: Db,
  workspaceId: string,
  rows: DeliveryToInsert[],
  dueAt: Date,
  expiresAt: Date,
): Promise<number> {
  const { numAffectedRows } = await sql`
    insert into deliveries (workspace_id, id, bucket, webhook_id, event_id, due_at, expires_at)
    select ${workspaceId}::uuid, batch.id, batch.bucket, batch.webhook_id, batch.event_id,
      ${dueAt}::timestamptz, ${expiresAt}::timestamptz
    from unnest(
      ${rows.map((row) => row.id)}::uuid[],
      ${rows.map((row) => row.bucket)}::smallint[],
      ${rows.map((row) => row.webhook_id)}::uuid[],
      ${rows.map((row) => row.event_id)}::uuid[]
    ) as batch (id, bucket, webhook_id, event_id)
    where exists (
      select from events e where e.workspace_id = ${workspaceId}::uuid and e.id = batch.event_id
    )`.execute(db)
  return Number(numAffectedRows ?? 0)
}

export interface EventsRead {
  /** Of those that match, oldest first. */
  ids: string[]
  /** Where the next read begins; null: there are no further events. */
  position: string | null
}

/**
 * Events of a window for a replay, oldest first: it ends with the `most`th that matches, or the
 * `readMax`th of any kind.
 */
export async function listEventsBetween(
  db: Db,
  workspaceId: string,
  filter: { type: string | null; campaign: string | null },
  { after, before }: { after: string; before: string },
  { most, readMax }: { most: number; readMax: number },
): Promise<EventsRead> {
  const { rows } = await sql<EventsRead>`
    with read as materialized (
      select id, type, campaign_id, test from events
      where workspace_id = ${workspaceId}::uuid and id > ${after}::uuid and id < ${before}::uuid
      order by id
      limit ${readMax}::integer
    ), found as (
      select id from read
      where not test
        and (${filter.type}::text is null or type = ${filter.type}::text)
        and (${filter.campaign}::uuid is null or campaign_id = ${filter.campaign}::uuid)
      order by id
      limit ${most}::integer
    )
    select array(select id::text from found order by id) as ids, case
      when (select count(*) from found) = ${most}::integer
        then (select id from found order by id desc limit 1)
      when (select count(*) from read) = ${readMax}::integer
        then (select id from read order by id desc limit 1)
    end as position`.execute(db)
  return rows[0] ?? { ids: [], position: null }
}

const ofOutcome = runHash('u.url', 'u.webhook_id', 'outcomes.success')

/**
 * Older events whose deliveries to a destination ended without success, in the order in which they
 * ended; read as those of a window, by their last attempts.
 */
export async function listEndedEvents(
  db: Db,
  { workspaceId, webhookId }: { workspaceId: string; webhookId: string },
  filter: { type: string | null; campaign: string | null },
  { afterAttempt, before }: { afterAttempt: string; before: string },
  { most, readMax }: { most: number; readMax: number },
): Promise<EventsRead> {
  const { rows } = await sql<EventsRead>`
    with read as materialized (
      select failed.* from webhook_urls u
      cross join (values (false)) as outcomes (success)
      cross join lateral (
        select e.id, e.event_id, e.will_retry from webhook_events e
        where e.workspace_id = ${workspaceId}::uuid and e.id > ${afterAttempt}::uuid
          and ${runHashOfAttempt} = ${ofOutcome}
        order by ${runHashOfAttempt}, e.id
        limit ${readMax}::integer
      ) failed
      where u.workspace_id = ${workspaceId}::uuid and u.webhook_id = ${webhookId}::uuid
      order by failed.id
      limit ${readMax}::integer
    ), found as (
      select read.id, read.event_id from read
      join events v on v.workspace_id = ${workspaceId}::uuid and v.id = read.event_id
      where not read.will_retry and not v.test and v.id < ${before}::uuid
        and (${filter.type}::text is null or v.type = ${filter.type}::text)
        and (${filter.campaign}::uuid is null or v.campaign_id = ${filter.campaign}::uuid)
      order by read.id
      limit ${most}::integer
    )
    select array(select event_id::text from found order by id) as ids, case
      when (select count(*) from found) = ${most}::integer
        then (select id from found order by id desc limit 1)
      when (select count(*) from read) = ${readMax}::integer
        then (select id from read order by id desc limit 1)
    end as position`.execute(db)
  return rows[0] ?? { ids: [], position: null }
}

/** Of these events those that a destination has a delivery of, or had by an attempt of this time. */
export async function findEventsWithDelivery(
  db: Db,
  { workspace_id, id }: { workspace_id: string; id: string },
  eventIds: string[],
  { after, before }: { after: string; before: string },
): Promise<Set<string>> {
  if (eventIds.length === 0) return new Set()
  const { rows } = await sql<{ event_id: string }>`
    select event_id from deliveries
    where workspace_id = ${workspace_id}::uuid and webhook_id = ${id}::uuid
      and event_id = any(${eventIds}::uuid[])
    union all
    select event_id from fanouts
    where workspace_id = ${workspace_id}::uuid and event_id = any(${eventIds}::uuid[])
      and ${id}::uuid = any(webhook_ids)
    union all
    select attempted.event_id from webhook_urls u
    cross join (values (true), (false)) as outcomes (success)
    cross join lateral (
      select e.event_id from webhook_events e
      where e.workspace_id = ${workspace_id}::uuid and e.id > ${after}::uuid
        and e.id < ${before}::uuid and ${runHashOfAttempt} = ${ofOutcome}
      order by ${runHashOfAttempt}, e.id
    ) attempted
    where u.workspace_id = ${workspace_id}::uuid and u.webhook_id = ${id}::uuid
      and attempted.event_id = any(${eventIds}::uuid[])`.execute(db)
  return new Set(rows.map(({ event_id }) => event_id))
}

export const findAttempt = (db: Db, workspaceId: string, id: string) =>
  db
    .selectFrom('webhook_events')
    .select(['event_id', 'webhook_id'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()

/**
 * The first attempt of a retry group. It walks over the workspace's attempts since the group's id was
 * made: millions, where the delivery waited for days. Who knows an attempt asks for that.
 */
export const findAttemptOfGroup = (db: Db, workspaceId: string, retryGroupId: string) =>
  db
    .selectFrom('webhook_events')
    .select(['event_id', 'webhook_id'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '>=', firstIdAt(new Date(timeOfId(retryGroupId).getTime() - clockLagMs)))
    .where('retry_group_id', '=', retryGroupId)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
