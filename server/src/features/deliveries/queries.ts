import type { Context } from '../../kernel/context.ts'
import type { Db } from '../../kernel/db/db.ts'
import { prepared } from '../../kernel/db/prepared.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import type { DueDelivery, DueEvent } from './delivery.ts'
import { readInIndexOrder } from './planner-queries.ts'

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

/** Where the last read of a lane ended. */
export interface Position {
  /** As the database writes it, to the microsecond. */
  due_at: string
  id: string
}

/** A delivery, or an event that some of the deliveries are of: the columns of the other are null. */
type DueRow = Omit<DueDelivery, 'event'> & {
  event_id: string
  event_type: string
  campaign_id: string | null
  lead_email: string | null
  body: string | null
}

/** A delivery whose event is gone: nothing can be sent. */
export type Orphan = Omit<DueDelivery, 'event'> & { event: undefined }

/** Per lane its id and position; `most` rows of each. */
type DueRead = [
  workspaceId: string,
  webhookIds: string[],
  dueAfter: string[],
  idsAfter: string[],
  now: Date,
  most: number,
]

const readDueRows = prepared<DueRead, DueRow>(
  'read_due_deliveries',
  `with lanes as materialized (
     select k.*, (
       select w.version from webhooks w where w.workspace_id = $1 and w.id = k.webhook_id
     ) as version
     from unnest($2::uuid[], $3::timestamptz[], $4::uuid[]) as k (webhook_id, due_at, id)
   ), due as materialized (
     select d.*, k.version
     from lanes k
     cross join lateral (
       select d.webhook_id, d.id, d.event_id, d.due_at::text as due_at,
         date_part('epoch', d.expires_at) * 1000 as expires_ms, d.attempt, d.ctid as place
       from deliveries d
       where d.workspace_id = $1 and d.webhook_id = k.webhook_id
         and (d.due_at, d.id) > (k.due_at, k.id) and d.due_at <= $5
       order by d.due_at, d.id
       limit $6
     ) d
   )
   select webhook_id, id, event_id, due_at, expires_ms, attempt, place, version,
     null as event_type, null::uuid as campaign_id, null as lead_email, null as body
   from due
   union all
   select null, null, e.id, null, null, null, null, null, e.type, e.campaign_id, e.lead_email, e.body
   from (select distinct event_id from due) d
   cross join lateral (
     select * from events e where e.workspace_id = $1 and e.id = d.event_id order by e.id limit 1
   ) e`,
)

/**
 * The due rows of some lanes with the bytes to send, each lane's after a position: reading from the
 * start each time would walk over every row deleted since the last vacuum. An event that goes to many
 * destinations is read once; one that is missing, as after a partial restore, leaves its rows without.
 */
export async function readDue(ctx: Context, ...read: DueRead): Promise<(DueDelivery | Orphan)[]> {
  const rows = await transaction(ctx, async ({ db }) => {
    await readInIndexOrder(db)
    return readDueRows(db, ...read)
  })
  const events = new Map<string, DueEvent>()
  for (const { event_id: id, event_type: type, campaign_id, lead_email, body } of rows) {
    if (body !== null) events.set(id, { id, type, campaign_id, lead_email, body })
  }
  // In place: rows are many, and a copy of each would be most of what a read leaves behind.
  const due = rows as (DueRow & (DueDelivery | Orphan))[]
  let length = 0
  for (const row of due) {
    if (row.body !== null) continue
    row.event = events.get(row.event_id)
    due[length++] = row
  }
  due.length = length
  return due
}

export interface LaneHealth {
  webhook_id: string
  consecutive_failures: number
  not_before: Date | null
  failing_since: Date | null
  failures: number
  abandons: number
  in_flight_id: string | null
}

/** A lane that never failed has none. */
export const listLaneHealth = prepared<[string, string[]], LaneHealth>(
  'list_lane_health',
  `select webhook_id, consecutive_failures, not_before, failing_since, failures, abandons,
     in_flight_id
   from webhook_lanes where workspace_id = $1 and webhook_id = any($2::uuid[])`,
)

/** Written before the one request of a lane whose requests seem to end processes. */
export const markInFlight = (db: Db, workspaceId: string, webhookId: string, id: string) =>
  db
    .updateTable('webhook_lanes')
    .set({ in_flight_id: id })
    .where('workspace_id', '=', workspaceId)
    .where('webhook_id', '=', webhookId)
    .execute()

export interface DeliveryToClose {
  id: string
  event_id: string
  attempt: number
  event_type: string
  campaign_id: string | null
  lead_email: string | null
}

/** Every pending delivery of a deleted destination, in chunks. */
export const listPending = (db: Db, workspaceId: string, webhookId: string, most: number) =>
  selectToClose(db, workspaceId, webhookId).limit(most).execute()

/** Those past their 72 h. They are always due: no retry is planned beyond. */
export const listExpired = (
  db: Db,
  workspaceId: string,
  webhookId: string,
  now: Date,
  most: number,
) =>
  selectToClose(db, workspaceId, webhookId)
    .where('d.due_at', '<=', now)
    .where('d.expires_at', '<=', now)
    .limit(most)
    .execute()

export const findPending = (db: Db, workspaceId: string, webhookId: string, id: string) =>
  selectToClose(db, workspaceId, webhookId).where('d.id', '=', id).executeTakeFirst()

/** A URL the destination had: for the closing records of one that was deleted. */
export async function findUrl(db: Db, workspaceId: string, webhookId: string) {
  const row = await db
    .selectFrom('webhook_urls')
    .select('url')
    .where('workspace_id', '=', workspaceId)
    .where('webhook_id', '=', webhookId)
    .orderBy('url_hash')
    .limit(1)
    .executeTakeFirst()
  return row?.url
}

const selectToClose = (db: Db, workspaceId: string, webhookId: string) =>
  db
    .selectFrom('deliveries as d')
    .innerJoin('events as e', (join) =>
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
    .orderBy('d.due_at')
    .orderBy('d.id')

/** None is missing: a lane without any has no row. */
export const countPending = prepared<[string, string[]], { webhook_id: string; count: number }>(
  'count_pending_deliveries',
  `select webhook_id, count(*)::int as count
   from deliveries where workspace_id = $1 and webhook_id = any($2::uuid[])
   group by webhook_id`,
)

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

/** Moves the position on, and holds the row to the commit; false when another runner was first. */
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

/** Events of a window, oldest first, for a replay. */
export const listEventsBetween = (
  db: Db,
  workspaceId: string,
  filter: { type: string | null; campaign: string | null },
  after: string,
  before: string,
  most: number,
) =>
  db
    .selectFrom('events')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '>', after)
    .where('id', '<', before)
    .where('test', '=', false)
    .$if(filter.type !== null, (query) => query.where('type', '=', filter.type ?? ''))
    .$if(filter.campaign !== null, (query) => query.where('campaign_id', '=', filter.campaign))
    .orderBy('id')
    .limit(most)
    .execute()

/** The delivery that a retry group names; its first attempt came soon after the group's id was made. */
export const findAttemptOfGroup = (db: Db, workspaceId: string, retryGroupId: string) =>
  db
    .selectFrom('webhook_events')
    .select(['event_id', 'webhook_id'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '>=', retryGroupId)
    .where('retry_group_id', '=', retryGroupId)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
