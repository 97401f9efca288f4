import { sql } from 'kysely'
import { type Column, column, columnOf } from '../../kernel/db/column.ts'
import type { AnyDb } from '../../kernel/db/db.ts'
import { preparedForAny, preparedForBatch } from '../../kernel/db/prepared.ts'
import type { Attempt } from './delivery.ts'

// The settle writer merges results of many workspaces: each statement takes its workspaces from a list
// of parameters, which its first comment declares.

export interface SettledRow {
  id: string
  /** Attempts made before this one: its `retry_count`. */
  attempt: number
  /** Of its event, since it was read: the result must not name the person. */
  person_erased: boolean
}

export interface EndedDelivery {
  workspace_id: string
  id: string
  /** The attempt that ended it; null for a success, which always wins. */
  seen: number | null
}

export interface RetriedDelivery {
  workspace_id: string
  id: string
  seen: number
  due_at: Date
}

/**
 * For the open transaction: each key is looked up by itself through a bitmap of an index, which
 * PostgreSQL makes only of what is searched for, never of a whole table or index, however few rows
 * the planner believes in (decision 0046).
 */
export const keepKeyPlan = preparedForAny<[], unknown>(
  'keep_key_plan',
  `select set_config('enable_seqscan', 'off', true), set_config('enable_indexscan', 'off', true)`,
)

const lockBatch = preparedForBatch<Column[], never>(
  'lock_deliveries',
  `/* batch */
   select from deliveries d
   join unnest($1::uuid[], $2::uuid[]) as k (workspace_id, id)
     on d.workspace_id = k.workspace_id and d.id = k.id
   order by d.id for update of d`,
)

/** For what locks their destinations before it writes them: rows come first, also where a person is erased. */
export const lockDeliveries = (db: AnyDb, attempts: Attempt[]) =>
  lockBatch(
    db,
    column(attempts, 'workspace_id'),
    columnOf(attempts, (a) => a.retry_group_id),
  )

const deleteBatch = preparedForBatch<Column[], SettledRow>(
  'delete_ended',
  `/* batch */
   delete from deliveries d
   using unnest($1::uuid[], $2::uuid[], $3::integer[]) as k (workspace_id, id, seen)
   where d.workspace_id = k.workspace_id and d.id = k.id
     and (k.seen is null or d.attempt = k.seen)
   returning d.id, d.attempt, d.person_erased`,
)

const updateBatch = preparedForBatch<Column[], SettledRow>(
  'update_retried',
  `/* batch */
   update deliveries d
   set attempt = d.attempt + 1, due_at = k.due_at
   from unnest($1::uuid[], $2::uuid[], $3::integer[], $4::timestamptz[])
     as k (workspace_id, id, seen, due_at)
   where d.workspace_id = k.workspace_id and d.id = k.id and d.attempt = k.seen
   returning d.id, d.attempt - 1 as attempt, d.person_erased`,
)

/** Deletes what is over. A failure counts only when it is the attempt the row is waiting for. */
export async function deleteEnded(db: AnyDb, ended: EndedDelivery[]): Promise<SettledRow[]> {
  if (ended.length === 0) return []
  return deleteBatch(db, ...keysOf(ended))
}

/** Puts a failed delivery back. A second runner with the same attempt matches no row. */
export async function updateRetried(db: AnyDb, retried: RetriedDelivery[]): Promise<SettledRow[]> {
  if (retried.length === 0) return []
  return updateBatch(db, ...keysOf(retried), column(retried, 'due_at'))
}

const keysOf = (rows: EndedDelivery[]) => [
  column(rows, 'workspace_id'),
  column(rows, 'id'),
  column(rows, 'seen'),
]

/** Side by side they make rows as they are read; those of one `unnest` are all written down first. */
const insertBatch = preparedForBatch<Column[], never>(
  'insert_attempts',
  `/* batch */
   insert into webhook_events (workspace_id, id, webhook_id, webhook_url, event_id, event_type,
     campaign_id, lead_email, retry_group_id, retry_count, status_code, success, will_retry,
     timestamp_next_retry, error_message, response_time_ms, response_body)
   select unnest($1::uuid[]), unnest($2::uuid[]), unnest($3::uuid[]), unnest($4::text[]),
     unnest($5::uuid[]), unnest($6::text[]), unnest($7::uuid[]), unnest($8::text[]),
     unnest($9::uuid[]), unnest($10::integer[]), unnest($11::integer[]), unnest($12::boolean[]),
     unnest($13::boolean[]), unnest($14::timestamptz[]), unnest($15::text[]),
     unnest($16::integer[]), unnest($17::text[])`,
)

export const insertAttempts = (db: AnyDb, attempts: Attempt[]) =>
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

/** Attempts of a destination on a UTC day. */
export interface Count {
  workspace_id: string
  webhook_id: string
  date: string
  slot: number
  succeeded: number
  failed: number
}

const addBatch = preparedForBatch<Column[], never>(
  'add_attempt_counts',
  `/* batch */
   with k as materialized (
     select * from unnest($1::uuid[], $2::uuid[], $3::date[], $4::smallint[], $5::bigint[],
       $6::bigint[]) as k (workspace_id, webhook_id, date, slot, succeeded, failed)
   ), by_webhook as (
     insert into webhook_days as w (workspace_id, webhook_id, day, slot, succeeded, failed)
     select * from k
     order by workspace_id, webhook_id, date, slot
     on conflict (workspace_id, webhook_id, day, slot) do update
       set succeeded = w.succeeded + excluded.succeeded, failed = w.failed + excluded.failed
   )
   insert into webhook_event_counts as c (workspace_id, date, slot, succeeded, failed)
   select workspace_id, date, slot, sum(succeeded), sum(failed) from k
   group by workspace_id, date, slot
   order by workspace_id, date, slot
   on conflict (workspace_id, date, slot) do update
     set succeeded = c.succeeded + excluded.succeeded, failed = c.failed + excluded.failed`,
)

/**
 * By destination and by workspace. Run last in the transaction and in key order: writers hold the same
 * rows only briefly.
 */
export const addCounts = (db: AnyDb, counts: Count[]) =>
  addBatch(
    db,
    columnOf(counts, (count) => count.workspace_id),
    columnOf(counts, (count) => count.webhook_id),
    columnOf(counts, (count) => count.date),
    columnOf(counts, (count) => count.slot),
    columnOf(counts, (count) => count.succeeded),
    columnOf(counts, (count) => count.failed),
  )

export interface LaneFailure {
  workspace_id: string
  webhook_id: string
  /** That was asked. */
  url: string
  /** Failures after the last success of this batch. */
  failures: number
  first_at: Date
  not_before: Date | null
}

export interface FailingLane {
  workspace_id: string
  webhook_id: string
  failing_since: Date | null
  failures: number
}

/**
 * Locks the lanes of failures, and makes those that there are not yet: a change of the address, which
 * locks them first, too, is then either committed or to come. What was answered has ended no process.
 */
const lockFailed = (db: AnyDb, lanes: LaneFailure[]) =>
  sql`
    /* batch */
    insert into webhook_lanes as l (workspace_id, webhook_id)
    select w.workspace_id, w.id
    from unnest(
      ${lanes.map((lane) => lane.workspace_id)}::uuid[],
      ${lanes.map((lane) => lane.webhook_id)}::uuid[]
    ) as k (workspace_id, webhook_id)
    join webhooks w on w.workspace_id = k.workspace_id and w.id = k.webhook_id
    order by k.workspace_id, k.webhook_id
    on conflict (workspace_id, webhook_id) do update set in_flight_id = null
      where l.in_flight_id is not null`.execute(db)

/**
 * Failures of an address that the destination has left say nothing of the one that it has.
 *
 * @returns the lanes after it: the caller disables those that fail for too long
 */
export async function addLaneFailures(db: AnyDb, lanes: LaneFailure[]): Promise<FailingLane[]> {
  if (lanes.length === 0) return []
  await lockFailed(db, lanes)
  const { rows } = await sql<FailingLane>`
    /* batch */
    insert into webhook_lanes as l
      (workspace_id, webhook_id, failures, failing_since, not_before)
    select k.workspace_id, k.webhook_id, k.failures, k.first_at, k.not_before
    from unnest(
      ${lanes.map((lane) => lane.workspace_id)}::uuid[],
      ${lanes.map((lane) => lane.webhook_id)}::uuid[],
      ${lanes.map((lane) => lane.url)}::text[],
      ${lanes.map((lane) => lane.failures)}::integer[],
      ${lanes.map((lane) => lane.first_at)}::timestamptz[],
      ${lanes.map((lane) => lane.not_before)}::timestamptz[]
    ) as k (workspace_id, webhook_id, url, failures, first_at, not_before)
    join webhooks w
      on w.workspace_id = k.workspace_id and w.id = k.webhook_id and w.target_hook_url = k.url
    order by k.workspace_id, k.webhook_id
    on conflict (workspace_id, webhook_id) do update
      set failures = l.failures + excluded.failures,
        failing_since = coalesce(l.failing_since, excluded.failing_since),
        not_before = excluded.not_before
    returning l.workspace_id, l.webhook_id, l.failing_since, l.failures`.execute(db)
  return rows
}

/** A success ends every count against the lane. */
export async function clearHealthOfLanes(
  db: AnyDb,
  lanes: { workspace_id: string; webhook_id: string }[],
) {
  if (lanes.length === 0) return
  await sql`
    /* batch */
    update webhook_lanes l
    set failures = 0, failing_since = null, not_before = null, abandons = 0, in_flight_id = null
    from unnest(
      ${lanes.map((lane) => lane.workspace_id)}::uuid[],
      ${lanes.map((lane) => lane.webhook_id)}::uuid[]
    ) as k (workspace_id, webhook_id)
    where l.workspace_id = k.workspace_id and l.webhook_id = k.webhook_id`.execute(db)
}
