import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import { prepared } from '../../kernel/db/prepared.ts'

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
 * The deliveries that were made first; when they are due again says nothing of that. No index has this order:
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

/** Deliveries past their 72 h. They are always due: no retry is planned beyond. */
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
