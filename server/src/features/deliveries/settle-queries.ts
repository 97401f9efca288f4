import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import type { Attempt } from './delivery.ts'

// The settle writer merges the results of lanes of many workspaces: every statement here joins
// workspace_id to its own unnest parameter, and says so in its first comment.

export interface SettledRow {
  id: string
  /** Attempts made before this one: its `retry_count`. */
  attempt: number
}

export interface EndedDelivery {
  workspace_id: string
  id: string
  /** The attempt that ended it; null for a success, which always wins. */
  seen: number | null
}

/** Deletes what is over. A failure counts only when it is the attempt the row is waiting for. */
export async function deleteEnded(db: Db, ended: EndedDelivery[]): Promise<SettledRow[]> {
  if (ended.length === 0) return []
  const { rows } = await sql<SettledRow>`
    /* settle */
    delete from deliveries d
    using unnest(
      ${ended.map((row) => row.workspace_id)}::uuid[],
      ${ended.map((row) => row.id)}::uuid[],
      ${ended.map((row) => row.seen)}::integer[]
    ) as k (workspace_id, id, seen)
    where d.workspace_id = k.workspace_id and d.id = k.id
      and (k.seen is null or d.attempt = k.seen)
    returning d.id, d.attempt`.execute(db)
  return rows
}

export interface RetriedDelivery {
  workspace_id: string
  id: string
  seen: number
  due_at: Date
}

/** Puts a failed delivery back. A second runner with the same attempt matches no row. */
export async function updateRetried(db: Db, retried: RetriedDelivery[]): Promise<SettledRow[]> {
  if (retried.length === 0) return []
  const { rows } = await sql<SettledRow>`
    /* settle */
    update deliveries d
    set attempt = d.attempt + 1, due_at = k.due_at
    from unnest(
      ${retried.map((row) => row.workspace_id)}::uuid[],
      ${retried.map((row) => row.id)}::uuid[],
      ${retried.map((row) => row.seen)}::integer[],
      ${retried.map((row) => row.due_at)}::timestamptz[]
    ) as k (workspace_id, id, seen, due_at)
    where d.workspace_id = k.workspace_id and d.id = k.id and d.attempt = k.seen
    returning d.id, d.attempt - 1 as attempt`.execute(db)
  return rows
}

export const insertAttempts = (db: Db, attempts: Attempt[]) =>
  sql`
    /* settle */
    insert into webhook_events (workspace_id, id, webhook_id, webhook_url, event_id, event_type,
      campaign_id, lead_email, retry_group_id, retry_count, status_code, success, will_retry,
      timestamp_next_retry, error_message, response_time_ms, response_body)
    select * from unnest(
      ${attempts.map((a) => a.workspace_id)}::uuid[],
      ${attempts.map((a) => a.id)}::uuid[],
      ${attempts.map((a) => a.webhook_id)}::uuid[],
      ${attempts.map((a) => a.webhook_url)}::text[],
      ${attempts.map((a) => a.event_id)}::uuid[],
      ${attempts.map((a) => a.event_type)}::text[],
      ${attempts.map((a) => a.campaign_id)}::uuid[],
      ${attempts.map((a) => a.lead_email)}::text[],
      ${attempts.map((a) => a.retry_group_id)}::uuid[],
      ${attempts.map((a) => a.retry_count)}::integer[],
      ${attempts.map((a) => a.status_code)}::integer[],
      ${attempts.map((a) => a.success)}::boolean[],
      ${attempts.map((a) => a.will_retry)}::boolean[],
      ${attempts.map((a) => a.timestamp_next_retry)}::timestamptz[],
      ${attempts.map((a) => a.error_message)}::text[],
      ${attempts.map((a) => a.response_time_ms)}::integer[],
      ${attempts.map((a) => a.response_body)}::text[]
    ) as k (workspace_id, id, webhook_id, webhook_url, event_id, event_type, campaign_id,
      lead_email, retry_group_id, retry_count, status_code, success, will_retry,
      timestamp_next_retry, error_message, response_time_ms, response_body)`.execute(db)

export interface Count {
  workspace_id: string
  date: string
  slot: number
  succeeded: number
  failed: number
}

/** Last in the transaction and in key order, so that writers meet here only briefly. */
export const addCounts = (db: Db, counts: Count[]) =>
  sql`
    /* settle */
    insert into webhook_event_counts as c (workspace_id, date, slot, succeeded, failed)
    select * from unnest(
      ${counts.map((count) => count.workspace_id)}::uuid[],
      ${counts.map((count) => count.date)}::date[],
      ${counts.map((count) => count.slot)}::smallint[],
      ${counts.map((count) => count.succeeded)}::bigint[],
      ${counts.map((count) => count.failed)}::bigint[]
    ) as k (workspace_id, date, slot, succeeded, failed)
    order by workspace_id, date, slot
    on conflict (workspace_id, date, slot) do update
      set succeeded = c.succeeded + excluded.succeeded, failed = c.failed + excluded.failed`.execute(
    db,
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
