import type { Context } from '../../kernel/context.ts'
import type { Db } from '../../kernel/db/db.ts'
import { prepared } from '../../kernel/db/prepared.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import type { Destination } from '../webhooks/index.ts'
import type { DueDelivery, DueEvent } from './delivery.ts'
import type { StoredHealth } from './lane-state.ts'
import { disableSort } from './planner-queries.ts'

/** Where the last read of a lane ended. */
export interface Position {
  /** As the database writes it, to the microsecond. */
  due_at: string
  id: string
}

/** A delivery whose event is gone: nothing can be sent. */
export type Orphan = Omit<DueDelivery, 'event'> & { event: undefined }

/** What was read of some lanes, all of one moment. */
export interface LanesRead {
  due: (DueDelivery | Orphan)[]
  /** By id; those that are deleted are missing. */
  destinations: Map<string, Destination>
  /** By id; a lane that never failed has none. */
  health: Map<string, LaneHealth>
}

/** A lane, a due delivery, or an event that some of the deliveries are of; the rest is null. */
type LanesRow = Omit<DueDelivery, 'event'> & {
  event_id: string
  event_type: string
  campaign_id: string | null
  lead_email: string | null
  body: string | null
  /** JSON. */
  destination: string | null
  health: string | null
}

/** Per lane its id and position; `most` rows of each. */
type LanesToRead = [
  workspaceId: string,
  webhookIds: string[],
  dueAfter: string[],
  idsAfter: string[],
  now: Date,
  most: number,
]

const readRows = prepared<LanesToRead, LanesRow>(
  'read_webhook_lanes',
  `with lanes as materialized (
     select k.*, (
       select json_build_object('workspace_id', w.workspace_id, 'id', w.id,
         'target_hook_url', w.target_hook_url, 'status', w.status, 'version', w.version,
         'plan_webhooks', p.plan_webhooks, 'event_type', w.event_type,
         'custom_interest_value', w.custom_interest_value, 'campaign', w.campaign,
         'headers', w.headers, 'secret', w.secret, 'previous_secret', w.previous_secret,
         'previous_secret_expires', w.previous_secret_expires)
       from webhooks w
       join workspaces p on p.id = w.workspace_id
       where w.workspace_id = $1 and w.id = k.webhook_id
     ) as destination
     from unnest($2::uuid[], $3::timestamptz[], $4::uuid[]) as k (webhook_id, due_at, id)
   ), due as materialized (
     select d.*
     from lanes k
     cross join lateral (
       select d.webhook_id, d.id, d.event_id, d.due_at::text as due_at,
         date_part('epoch', d.expires_at) * 1000 as expires_ms, d.attempt, d.ctid as place
       from deliveries d
       where k.destination ->> 'status' = 'active'
         and (k.destination ->> 'plan_webhooks')::boolean
         and d.workspace_id = $1 and d.webhook_id = k.webhook_id
         and (d.due_at, d.id) > (k.due_at, k.id) and d.due_at <= $5
       order by d.due_at, d.id
       limit $6
     ) d
   )
   select webhook_id, id, event_id, due_at, expires_ms, attempt, place,
     null as event_type, null::uuid as campaign_id, null as lead_email, null as body,
     null as destination, null as health
   from due
   union all
   select null, null, e.id, null, null, null, null, e.type, e.campaign_id, e.lead_email, e.body,
     null, null
   from (select distinct event_id from due) d
   cross join lateral (
     select * from events e where e.workspace_id = $1 and e.id = d.event_id order by e.id limit 1
   ) e
   union all
   select k.webhook_id, null, null, null, null, null, null, null, null, null, null,
     k.destination::text, (
       select to_json(l)::text from webhook_lanes l
       where l.workspace_id = $1 and l.webhook_id = k.webhook_id
     )
   from lanes k`,
)

/**
 * Where some lanes lead, how they stand, and their due rows with the bytes to send, each lane's after
 * a position: reading from the start each time would walk over every row deleted since the last
 * vacuum. Of a destination that is not active no rows are read. An event that goes to many
 * destinations is read once; one that is missing, as after a partial restore, leaves its rows without.
 */
export async function readLanes(ctx: Context, ...read: LanesToRead): Promise<LanesRead> {
  const rows = await transaction(ctx, async ({ db }) => {
    await disableSort(db)
    return readRows(db, ...read)
  })
  const events = new Map<string, DueEvent>()
  const destinations = new Map<string, Destination>()
  const health = new Map<string, LaneHealth>()
  for (const row of rows) {
    const { webhook_id, event_id: id, event_type: type, campaign_id, lead_email, body } = row
    if (body !== null) events.set(id, { id, type, campaign_id, lead_email, body })
    if (row.destination) destinations.set(webhook_id, parseDestination(row.destination))
    if (row.health) health.set(webhook_id, parseHealth(row.health))
  }
  // In place: rows are many, and a copy of each would be most of what a read leaves behind.
  const due = rows as (LanesRow & (DueDelivery | Orphan))[]
  let length = 0
  for (const row of due) {
    if (row.id === null) continue
    row.event = events.get(row.event_id)
    due[length++] = row
  }
  due.length = length
  return { due, destinations, health }
}

function parseHealth(json: string): LaneHealth {
  const health = JSON.parse(json)
  return { ...health, not_before: dateOf(health.not_before) }
}

function parseDestination(json: string): Destination {
  const destination = JSON.parse(json)
  return {
    ...destination,
    headers: bytesOf(destination.headers),
    secret: bytesOf(destination.secret),
    previous_secret: bytesOf(destination.previous_secret),
    previous_secret_expires: dateOf(destination.previous_secret_expires),
  }
}

const dateOf = (text: string | null) => (text === null ? null : new Date(text))

/** As PostgreSQL writes a bytea: `\\x` and hexadecimal digits. */
const bytesOf = (text: string | null) => (text === null ? null : Buffer.from(text.slice(2), 'hex'))

export interface LaneHealth extends StoredHealth {
  webhook_id: string
}

/** A lane that never failed has none. */
export const listLaneHealth = prepared<[string, string[]], LaneHealth>(
  'list_lane_health',
  `select webhook_id, consecutive_failures, not_before, failures, abandons, in_flight_id
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

/** None is missing: a lane without any has no row. */
export const countPending = prepared<[string, string[]], { webhook_id: string; count: number }>(
  'count_pending_deliveries',
  `select webhook_id, count(*)::int as count
   from deliveries where workspace_id = $1 and webhook_id = any($2::uuid[])
   group by webhook_id`,
)
