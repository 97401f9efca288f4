import type { Context } from '../../kernel/context.ts'
import type { Db } from '../../kernel/db/db.ts'
import { prepared, preparedForAny } from '../../kernel/db/prepared.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { type Destination, mayReceive } from '../webhooks/index.ts'
import type { DueDelivery, DueEvent } from './delivery.ts'
import type { StoredHealth } from './lane-state.ts'

/** Where the last read of a lane ended. */
export interface Position {
  /** As the database writes it, to the microsecond. */
  due_at: string
  id: string
}

/** A delivery whose event is gone: nothing can be sent. */
export type Orphan = Omit<DueDelivery, 'event'> & { event: undefined }

/** An active destination of this version, which the lane has read before. */
export interface UnchangedDestination {
  isUnchanged: true
  version: number
}

/** What was read of some lanes, all of one moment. */
export interface LanesRead {
  due: (DueDelivery | Orphan)[]
  /** By id; those that are deleted are missing. */
  destinations: Map<string, Destination | UnchangedDestination>
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
  /** Null: the destination is deleted. */
  version: number | null
  /** JSON; null: it is as the lane knows it, or deleted. */
  destination: string | null
  /** JSON. */
  health: string | null
}

/** Per lane its id, its position, the version of its destination that it knows, and how many rows it wants. */
type LanesToRead = [
  workspaceId: string,
  webhookIds: string[],
  dueAfter: string[],
  idsAfter: string[],
  knownVersions: number[],
  most: number[],
  now: Date,
]

const readRows = prepared<LanesToRead, LanesRow>(
  'read_webhook_lanes',
  `with lanes as materialized (
     select k.*, w.version, ${mayReceive} as may_receive
     from unnest($2::uuid[], $3::timestamptz[], $4::uuid[], $5::bigint[], $6::integer[])
       as k (webhook_id, due_at, id, known_version, most)
     left join webhooks w on w.workspace_id = $1 and w.id = k.webhook_id
     left join workspaces p on p.id = w.workspace_id
   ), due as materialized (
     select d.*
     from lanes k
     cross join lateral (
       select d.webhook_id, d.id, d.event_id, d.due_at::text as due_at,
         date_part('epoch', d.expires_at) * 1000 as expires_ms, d.attempt
       from deliveries d
       where k.may_receive and d.workspace_id = $1 and d.webhook_id = k.webhook_id
         and (d.due_at, d.id) > (k.due_at, k.id) and d.due_at <= $7
       order by d.due_at, d.id
       limit k.most
     ) d
   )
   select webhook_id, id, event_id, due_at, expires_ms, attempt,
     null as event_type, null::uuid as campaign_id, null as lead_email, null as body,
     null::float8 as version, null as destination, null as health
   from due
   union all
   select null, null, e.id, null, null, null, e.type, e.campaign_id, e.lead_email, e.body,
     null, null, null
   from (select distinct event_id from due) d
   cross join lateral (
     select * from events e where e.workspace_id = $1 and e.id = d.event_id order by e.id limit 1
   ) e
   union all
   select k.webhook_id, null, null, null, null, null, null, null, null, null, k.version::float8,
     case when k.may_receive and k.version = k.known_version then null else (
       select json_build_object('workspace_id', w.workspace_id, 'id', w.id,
         'target_hook_url', w.target_hook_url, 'status', w.status, 'version', w.version,
         'may_receive', k.may_receive, 'event_type', w.event_type,
         'custom_interest_value', w.custom_interest_value, 'campaign', w.campaign,
         'headers', w.headers, 'secret', w.secret, 'previous_secret', w.previous_secret,
         'previous_secret_expires', w.previous_secret_expires)::text
       from webhooks w
       where w.workspace_id = $1 and w.id = k.webhook_id
     ) end, (
       select to_json(l)::text from webhook_lanes l
       where l.workspace_id = $1 and l.webhook_id = k.webhook_id
     )
   from lanes k`,
)

/**
 * For the open transaction: rows that are wanted in the order of an index are read by that index,
 * however few the planner believes in (decision 0014). And the statement is not planned anew for each
 * read, which would take longer than running it.
 */
export const keepLanePlan = preparedForAny<[], unknown>(
  'keep_lane_plan',
  `select set_config('enable_sort', 'off', true),
     set_config('plan_cache_mode', 'force_generic_plan', true)`,
)

/**
 * Destination, health and due rows of some lanes, with the bytes to send. Each lane's rows are read
 * after a position: reading from the start each time would walk over every row deleted since the last
 * vacuum. Of a destination that is not active, or whose workspace is being moved, no rows are read. An event that goes to many
 * destinations is read once; one that is missing, as after a partial restore, leaves its rows without.
 */
export async function readLanes(ctx: Context, ...read: LanesToRead): Promise<LanesRead> {
  const rows = await transaction(ctx, async ({ db }) => {
    await keepLanePlan(db)
    return readRows(db, ...read)
  })
  const events = new Map<string, DueEvent>()
  const destinations = new Map<string, Destination | UnchangedDestination>()
  const health = new Map<string, LaneHealth>()
  for (const row of rows) {
    const { webhook_id, event_id: id, event_type: type, version } = row
    const { campaign_id, lead_email, body } = row
    if (body !== null) events.set(id, { id, type, campaign_id, lead_email, body })
    if (row.destination) destinations.set(webhook_id, parseDestination(row.destination))
    else if (version !== null) destinations.set(webhook_id, { isUnchanged: true, version })
    if (row.health) health.set(webhook_id, parseHealth(row.health))
  }
  // Changed in place: copies of all rows would be most of the garbage of a read.
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
  const { failing_since, not_before } = health
  return { ...health, failing_since: dateOf(failing_since), not_before: dateOf(not_before) }
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
  failing_since: Date | null
}

/** A lane that never failed may have none. */
export const listLaneHealth = prepared<[string, string[]], LaneHealth>(
  'list_lane_health',
  `select webhook_id, failing_since, not_before, failures, abandons, in_flight_id
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

/** That request has ended no process. The mark of another one, as by the next owner, stays. */
export const unmarkInFlight = (db: Db, workspaceId: string, webhookId: string, id: string) =>
  db
    .updateTable('webhook_lanes')
    .set({ in_flight_id: null })
    .where('workspace_id', '=', workspaceId)
    .where('webhook_id', '=', webhookId)
    .where('in_flight_id', '=', id)
    .execute()

/** A lane that has none is missing. */
export const countPending = prepared<[string, string[]], { webhook_id: string; count: number }>(
  'count_pending_deliveries',
  `select webhook_id, count(*)::int as count
   from deliveries where workspace_id = $1 and webhook_id = any($2::uuid[])
   group by webhook_id`,
)
