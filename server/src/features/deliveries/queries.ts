import { sql } from 'kysely'
import type { AnyDb, Db, ProcessDb } from '../../kernel/db/db.ts'
import { prepared } from '../../kernel/db/prepared.ts'
import { firstIdAt, timeOfId } from '../../kernel/ids.ts'
import { runHash, runHashOfAttempt } from '../webhooks/index.ts'
import { clockLagMs } from './delivery.ts'

export interface DeliveryToInsert {
  id: string
  bucket: number
  webhook_id: string
  event_id: string
}

const insertBatch = prepared<[string, string[], number[], string[], string[], Date, Date], unknown>(
  'insert_deliveries',
  `insert into deliveries (workspace_id, id, bucket, webhook_id, event_id, due_at, expires_at)
   select $1::uuid, id, bucket, webhook_id, event_id, $6::timestamptz, $7::timestamptz
   from unnest($2::uuid[], $3::smallint[], $4::uuid[], $5::uuid[])
     as batch (id, bucket, webhook_id, event_id)
   on conflict (workspace_id, id) do nothing`,
)

/** Does nothing for a delivery that is there already: a fan-out chunk may be run again. */
export const insertDeliveries = (
  db: Db,
  workspaceId: string,
  rows: DeliveryToInsert[],
  dueAt: Date,
  expiresAt: Date,
) =>
  insertBatch(
    db,
    workspaceId,
    rows.map((row) => row.id),
    rows.map((row) => row.bucket),
    rows.map((row) => row.webhook_id),
    rows.map((row) => row.event_id),
    dueAt,
    expiresAt,
  )

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

export interface ReplayedWeek {
  /** Its Monday. */
  week: string
  /** No replay of its events is attempted on this day or later. */
  attempts_until: string
}

export const listReplayedWeeks = (db: AnyDb): Promise<ReplayedWeek[]> =>
  db.selectFrom('replayed_weeks').select(['week', 'attempts_until']).execute()

/** What is noted already is not written again: replays of one week would wait for each other. */
export const noteReplayedWeeks = (db: AnyDb, weeks: ReplayedWeek[]) =>
  sql`
    insert into replayed_weeks as noted (week, attempts_until)
    select given.week, given.attempts_until
    from unnest(
      ${weeks.map(({ week }) => week)}::date[],
      ${weeks.map(({ attempts_until }) => attempts_until)}::date[]
    ) as given (week, attempts_until)
    where not exists (
      select from replayed_weeks r
      where r.week = given.week and r.attempts_until >= given.attempts_until
    )
    order by given.week
    on conflict (week) do update
    set attempts_until = greatest(noted.attempts_until, excluded.attempts_until)`.execute(db)

export const forgetReplayedWeeks = (db: ProcessDb, until: string) =>
  db.deleteFrom('replayed_weeks').where('attempts_until', '<=', until).execute()

export interface DeliveryToClose {
  id: string
  event_id: string
  attempt: number
  /** Null: its event is no longer stored, and nobody can be told what it was. */
  event_type: string | null
  campaign_id: string | null
  lead_email: string | null
}

/** Every pending delivery of a deleted destination, in chunks. */
export const listPending = (db: Db, workspaceId: string, webhookId: string, most: number) =>
  selectInDueOrder(db, workspaceId, webhookId).limit(most).execute()

/**
 * Those that were made first; when they are due again says nothing of that. No index has this order:
 * those of the lane are gathered first, in the order of the index of lanes, or the planner may walk
 * over the whole queue of the workspace. Ask it after `keepLanePlan`.
 */
export async function listOldest(db: Db, workspaceId: string, webhookId: string, most: number) {
  const { rows } = await sql<DeliveryToClose>`
    with own as materialized (
      select id, event_id, attempt from deliveries
      where workspace_id = ${workspaceId}::uuid and webhook_id = ${webhookId}::uuid
      order by due_at, id
    )
    select oldest.*, e.type as event_type, e.campaign_id, e.lead_email
    from (select * from own order by id limit ${most}::integer) oldest
    left join events e on e.workspace_id = ${workspaceId}::uuid and e.id = oldest.event_id
    order by oldest.id`.execute(db)
  return rows
}

/** Those past their 72 h. They are always due: no retry is planned beyond. */
export const listExpired = (
  db: Db,
  workspaceId: string,
  webhookId: string,
  now: Date,
  most: number,
) =>
  selectInDueOrder(db, workspaceId, webhookId)
    .where('d.due_at', '<=', now)
    .where('d.expires_at', '<=', now)
    .limit(most)
    .execute()

export const findPending = (db: Db, workspaceId: string, webhookId: string, id: string) =>
  selectToClose(db, workspaceId, webhookId).where('d.id', '=', id).executeTakeFirst()

/** The last URL of a destination: for the closing records of one that was deleted. */
export async function findUrl(db: Db, workspaceId: string, webhookId: string) {
  const row = await db
    .selectFrom('webhook_urls')
    .select('url')
    .where('workspace_id', '=', workspaceId)
    .where('webhook_id', '=', webhookId)
    .orderBy('timestamp_used', (order) => order.desc().nullsLast())
    .orderBy('url_hash')
    .limit(1)
    .executeTakeFirst()
  return row?.url
}

const selectToClose = (db: Db, workspaceId: string, webhookId: string) =>
  db
    .selectFrom('deliveries as d')
    .leftJoin('events as e', (join) =>
      join.onRef('e.workspace_id', '=', 'd.workspace_id').onRef('e.id', '=', 'd.event_id'),
    )
    .select([
      'd.id',
      'd.event_id',
      'd.attempt',
      'e.type as event_type',
      'e.campaign_id',
      'e.lead_email',
    ])
    .where('d.workspace_id', '=', workspaceId)
    .where('d.webhook_id', '=', webhookId)

const selectInDueOrder = (db: Db, workspaceId: string, webhookId: string) =>
  selectToClose(db, workspaceId, webhookId).orderBy('d.due_at').orderBy('d.id')

export interface FanoutToInsert {
  event_id: string
  bucket: number
  webhook_ids: string[]
}

export const insertFanouts = (
  db: Db,
  workspaceId: string,
  fanouts: FanoutToInsert[],
  dueAt: Date,
  expiresAt: Date,
) =>
  db
    .insertInto('fanouts')
    .values(
      fanouts.map((fanout) => ({
        ...fanout,
        workspace_id: workspaceId,
        due_at: dueAt,
        expires_at: expiresAt,
      })),
    )
    .execute()

export const findFanout = (db: Db, workspaceId: string, eventId: string) =>
  db
    .selectFrom('fanouts')
    .select(['webhook_ids', 'after_webhook_id', 'due_at', 'expires_at'])
    .where('workspace_id', '=', workspaceId)
    .where('event_id', '=', eventId)
    .executeTakeFirst()

/** Moves the position on and locks the row until the commit; false when another runner was first. */
export async function advanceFanout(
  db: Db,
  workspaceId: string,
  eventId: string,
  from: string | null,
  to: string,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('fanouts')
    .set({ after_webhook_id: to })
    .where('workspace_id', '=', workspaceId)
    .where('event_id', '=', eventId)
    .where('after_webhook_id', 'is not distinct from', from)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export const deleteFanout = (db: Db, workspaceId: string, eventId: string) =>
  db
    .deleteFrom('fanouts')
    .where('workspace_id', '=', workspaceId)
    .where('event_id', '=', eventId)
    .execute()

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
export async function findMeant(
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
