import { sql } from 'kysely'
import { type Column, column, columnOf } from '../../kernel/db/column.ts'
import type { Db } from '../../kernel/db/db.ts'
import { prepared } from '../../kernel/db/prepared.ts'
import type { Attempt } from './delivery.ts'
import { allowAllScans, allowOnlyTidScan } from './planner-queries.ts'

// The settle writer merges the results of lanes of many workspaces: every statement here joins
// workspace_id to its own unnest parameter, and says so in its first comment.

interface SettledRow {
  id: string
  /** Attempts made before this one: its `retry_count`. */
  attempt: number
}

interface ReachedRow extends SettledRow {
  /** Somebody changed it since it was read. */
  isMoved: boolean
}

export interface EndedDelivery {
  workspace_id: string
  id: string
  /** The attempt that ended it; null for a success, which always wins. */
  seen: number | null
  /** Where the row was when it was read; null: not known. */
  place: string | null
}

export interface RetriedDelivery {
  workspace_id: string
  id: string
  seen: number
  due_at: Date
  place: string | null
}

// By places, whatever the planner takes the queue for.

const endedText = `/* settle */
   delete from deliveries d
   using unnest($1::uuid[], $2::uuid[], $3::integer[], $4::tid[])
     as k (workspace_id, id, seen, place)
   where d.ctid = k.place and d.workspace_id = k.workspace_id and d.id = k.id
     and (k.seen is null or d.attempt = k.seen)
   returning d.id, d.attempt`

const retriedText = `/* settle */
   update deliveries d
   set attempt = d.attempt + 1, due_at = k.due_at
   from unnest($1::uuid[], $2::uuid[], $3::integer[], $4::tid[], $5::timestamptz[])
     as k (workspace_id, id, seen, place, due_at)
   where d.ctid = k.place and d.workspace_id = k.workspace_id and d.id = k.id
     and d.attempt = k.seen
   returning d.id, d.attempt - 1 as attempt`

const byKey = (text: string) => text.replace('d.ctid = k.place and ', '')

const deleteByPlace = prepared<Column[], SettledRow>('delete_ended', endedText)
const deleteByKey = prepared<Column[], SettledRow>('delete_ended_by_key', byKey(endedText))
const updateByPlace = prepared<Column[], SettledRow>('update_retried', retriedText)
const updateByKey = prepared<Column[], SettledRow>('update_retried_by_key', byKey(retriedText))

/** Deletes what is over. A failure counts only when it is the attempt the row is waiting for. */
export const deleteEnded = (db: Db, ended: EndedDelivery[]): Promise<ReachedRow[]> =>
  reach(db, ended, (rows, isPlaced) => {
    const write = isPlaced ? deleteByPlace : deleteByKey
    return write(db, ...columnsOf(rows))
  })

/** Puts a failed delivery back. A second runner with the same attempt matches no row. */
export const updateRetried = (db: Db, retried: RetriedDelivery[]): Promise<ReachedRow[]> =>
  reach(db, retried, (rows, isPlaced) => {
    const write = isPlaced ? updateByPlace : updateByKey
    return write(db, ...columnsOf(rows), column(rows, 'due_at'))
  })

const columnsOf = (rows: EndedDelivery[]) => [
  column(rows, 'workspace_id'),
  column(rows, 'id'),
  column(rows, 'seen'),
  column(rows, 'place'),
]

/** Writes rows where they lie, and by their keys those that somebody moved since they were read. */
async function reach<Row extends EndedDelivery>(
  db: Db,
  rows: Row[],
  write: (rows: Row[], isPlaced: boolean) => Promise<SettledRow[]>,
): Promise<ReachedRow[]> {
  if (rows.length === 0) return []
  await allowOnlyTidScan(db)
  const reached = (await write(rows, true)).map((row) => ({ ...row, isMoved: false }))
  await allowAllScans(db)
  if (reached.length === rows.length) return reached
  const ids = new Set(column(reached, 'id'))
  const left = rows.filter(({ id }) => !ids.has(id))
  const moved = (await write(left, false)).map((row) => ({ ...row, isMoved: true }))
  return [...reached, ...moved]
}

/** Of these events, those that name no person: their attempts must not name one either. */
export async function listNameless(db: Db, attempts: Attempt[]): Promise<Set<string>> {
  const workspaceIds = columnOf(attempts, (a) => a.workspace_id)
  const ids = columnOf(attempts, (a) => a.event_id)
  const { rows } = await sql<{ id: string }>`/* settle */
    select e.id
    from unnest(${workspaceIds}::uuid[], ${ids}::uuid[]) as k (workspace_id, id)
    join events e on e.workspace_id = k.workspace_id and e.id = k.id
    where e.lead_email is null`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

const insertBatch = prepared<Column[], never>(
  'insert_attempts',
  `/* settle */
   insert into webhook_events (workspace_id, id, webhook_id, webhook_url, event_id, event_type,
     campaign_id, lead_email, retry_group_id, retry_count, status_code, success, will_retry,
     timestamp_next_retry, error_message, response_time_ms, response_body)
   select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::uuid[], $6::text[],
     $7::uuid[], $8::text[], $9::uuid[], $10::integer[], $11::integer[], $12::boolean[],
     $13::boolean[], $14::timestamptz[], $15::text[], $16::integer[], $17::text[]
   ) as k (workspace_id, id, webhook_id, webhook_url, event_id, event_type, campaign_id,
     lead_email, retry_group_id, retry_count, status_code, success, will_retry,
     timestamp_next_retry, error_message, response_time_ms, response_body)`,
)

export const insertAttempts = (db: Db, attempts: Attempt[]) =>
  insertBatch(
    db,
    columnOf(attempts, (a) => a.workspace_id),
    columnOf(attempts, (a) => a.id),
    columnOf(attempts, (a) => a.webhook_id),
    columnOf(attempts, (a) => a.webhook_url),
    columnOf(attempts, (a) => a.event_id),
    columnOf(attempts, (a) => a.event_type),
    columnOf(attempts, (a) => a.campaign_id),
    columnOf(attempts, (a) => a.lead_email),
    columnOf(attempts, (a) => a.retry_group_id),
    columnOf(attempts, (a) => a.retry_count),
    columnOf(attempts, (a) => a.status_code),
    columnOf(attempts, (a) => a.success),
    columnOf(attempts, (a) => a.will_retry),
    columnOf(attempts, (a) => a.timestamp_next_retry),
    columnOf(attempts, (a) => a.error_message),
    columnOf(attempts, (a) => a.response_time_ms),
    columnOf(attempts, (a) => a.response_body),
  )

export interface Count {
  workspace_id: string
  date: string
  slot: number
  succeeded: number
  failed: number
}

const addBatch = prepared<Column[], never>(
  'add_attempt_counts',
  `/* settle */
   insert into webhook_event_counts as c (workspace_id, date, slot, succeeded, failed)
   select * from unnest($1::uuid[], $2::date[], $3::smallint[], $4::bigint[], $5::bigint[])
     as k (workspace_id, date, slot, succeeded, failed)
   order by workspace_id, date, slot
   on conflict (workspace_id, date, slot) do update
     set succeeded = c.succeeded + excluded.succeeded, failed = c.failed + excluded.failed`,
)

/** Last in the transaction and in key order, so that writers meet here only briefly. */
export const addCounts = (db: Db, counts: Count[]) =>
  addBatch(
    db,
    columnOf(counts, (count) => count.workspace_id),
    columnOf(counts, (count) => count.date),
    columnOf(counts, (count) => count.slot),
    columnOf(counts, (count) => count.succeeded),
    columnOf(counts, (count) => count.failed),
  )

export interface LaneFailure {
  workspace_id: string
  webhook_id: string
  /** Failures after the last success of this batch. */
  failures: number
  first_at: Date
  not_before: Date | null
}

export interface LaneState {
  workspace_id: string
  webhook_id: string
  failing_since: Date | null
  failures: number
}

/** @returns the lanes as they stand now: whoever fails for too long is to be disabled */
export async function addLaneFailures(db: Db, lanes: LaneFailure[]): Promise<LaneState[]> {
  if (lanes.length === 0) return []
  const { rows } = await sql<LaneState>`
    /* settle */
    insert into webhook_lanes as l
      (workspace_id, webhook_id, consecutive_failures, failures, failing_since, not_before)
    select * from unnest(
      ${lanes.map((lane) => lane.workspace_id)}::uuid[],
      ${lanes.map((lane) => lane.webhook_id)}::uuid[],
      ${lanes.map((lane) => lane.failures)}::integer[],
      ${lanes.map((lane) => lane.failures)}::integer[],
      ${lanes.map((lane) => lane.first_at)}::timestamptz[],
      ${lanes.map((lane) => lane.not_before)}::timestamptz[]
    ) as k (workspace_id, webhook_id, consecutive_failures, failures, failing_since, not_before)
    order by workspace_id, webhook_id
    on conflict (workspace_id, webhook_id) do update
      set consecutive_failures = l.consecutive_failures + excluded.consecutive_failures,
        failures = l.failures + excluded.failures,
        failing_since = coalesce(l.failing_since, excluded.failing_since),
        not_before = excluded.not_before,
        in_flight_id = null
    returning l.workspace_id, l.webhook_id, l.failing_since, l.failures`.execute(db)
  return rows
}

/** A success ends every count against the lane. */
export async function resetLanes(db: Db, lanes: { workspace_id: string; webhook_id: string }[]) {
  if (lanes.length === 0) return
  await sql`
    /* settle */
    update webhook_lanes l
    set consecutive_failures = 0, failures = 0, failing_since = null, not_before = null,
      abandons = 0, in_flight_id = null
    from unnest(
      ${lanes.map((lane) => lane.workspace_id)}::uuid[],
      ${lanes.map((lane) => lane.webhook_id)}::uuid[]
    ) as k (workspace_id, webhook_id)
    where l.workspace_id = k.workspace_id and l.webhook_id = k.webhook_id`.execute(db)
}
