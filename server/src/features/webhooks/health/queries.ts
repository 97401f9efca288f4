import { sql } from 'kysely'
import type { Db } from '../../../kernel/db/db.ts'
import { firstIdAt } from '../../../kernel/ids.ts'
import { runHash, runHashOfAttempt } from '../run-hash.ts'

const ofAttempt = runHashOfAttempt
const ofOutcome = runHash('u.url', 'u.webhook_id', 'outcomes.success')

export interface RecentAttempt {
  webhook_id: string
  id: string
  success: boolean
  status_code: number | null
}

/**
 * The newest attempts of each destination, in no order: `most` of each URL and outcome, which lie
 * side by side in an index. Its order is asked for, since the planner may take all attempts to be of
 * one destination and walk them by id to find none of another.
 */
export const selectRecentAttempts = (
  workspaceId: string,
  webhookIds: string[],
  before: string,
  most: number,
) =>
  sql<RecentAttempt>`
    select u.webhook_id, newest.*
    from webhook_urls u
    cross join (values (true), (false)) as outcomes (success)
    cross join lateral (
      select e.id, e.success, e.status_code
      from webhook_events e
      where e.workspace_id = ${workspaceId}::uuid and e.id < ${before}::uuid
        and (${ofAttempt}, e.id) < (${ofOutcome}, ${before}::uuid)
        and (${ofAttempt}, e.id) >= (${ofOutcome}, ${firstIdAt(new Date(0))}::uuid)
      order by ${ofAttempt} desc, e.id desc
      limit ${most}::integer
    ) newest
    where u.workspace_id = ${workspaceId}::uuid and u.webhook_id = any(${webhookIds}::uuid[])`

/** What waits to be delivered, retries included; a destination that nothing waits for is missing. */
export const listBacklogs = async (db: Db, workspaceId: string, webhookIds: string[]) => {
  const { rows } = await sql<{ webhook_id: string; pending: number; oldest_id: string }>`
    select webhook_id, count(*)::integer as pending, min(id::text) as oldest_id
    from deliveries
    where workspace_id = ${workspaceId}::uuid and webhook_id = any(${webhookIds}::uuid[])
    group by webhook_id`.execute(db)
  return rows
}

export interface DayAttempts {
  date: string
  succeeded: number
  failed: number
}

/** Attempts of a destination by day, from a day on; days without any are missing. */
export const listDayAttempts = async (
  db: Db,
  workspaceId: string,
  webhookId: string,
  from: string,
) => {
  const { rows } = await sql<DayAttempts>`
    select day as date, sum(succeeded)::float8 as succeeded, sum(failed)::float8 as failed
    from webhook_days
    where workspace_id = ${workspaceId}::uuid and webhook_id = ${webhookId}::uuid
      and day >= ${from}::date
    group by day`.execute(db)
  return rows
}
