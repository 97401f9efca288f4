import { type RawBuilder, sql } from 'kysely'
import { sha256 } from '../../../kernel/crypto.ts'
import type { Db } from '../../../kernel/db/db.ts'
import { firstIdAt } from '../../../kernel/ids.ts'
import type * as deliveries from '../../deliveries/index.ts'
import { runHash, runHashOfAttempt } from '../run-hash.ts'
import type { DayWindow } from './window.ts'

/** One delivery attempt as it is stored. */
export type Attempt = Omit<deliveries.Attempt, 'workspace_id'>

export interface AttemptFilter {
  success?: boolean | undefined
  eventType?: string | undefined
  leadEmail?: string | undefined
  /** Inclusive. */
  from?: string | undefined
  /** Exclusive; always there, so that partitions of the future are never opened. */
  before: string
}

/**
 * Newest first. Ids hold the time and partitions are cut by id, so this walks one index per partition
 * backwards and stops after `most` rows, at any depth.
 */
export const selectAttempts = (workspaceId: string, filter: AttemptFilter, most: number) =>
  sql<Attempt>`
    select ${columns}
    from webhook_events e
    where ${conditions(workspaceId, filter)}
    order by e.id desc
    limit ${most}::integer`

/** More than anybody types one address in. */
const spellingsMax = 20

/** As its leads have it: events name a lead by what was typed in its campaign. */
export async function listSpellings(
  db: Db,
  workspaceId: string,
  folded: string,
): Promise<string[]> {
  const rows = await db
    .selectFrom('leads')
    .select('email')
    .distinct()
    .where('workspace_id', '=', workspaceId)
    .where('email_folded', '=', folded)
    .orderBy('email')
    .limit(spellingsMax)
    .execute()
  return rows.map(({ email }) => email)
}

/** As many as a workspace makes in a day. */
const targetsMax = 20_000

/**
 * Every destination and URL it ever had, of one of them or both; of very many those of the newest
 * destinations. A URL that is given is not sent back for each of them.
 */
export async function listTargets(
  db: Db,
  workspaceId: string,
  filter: { webhookId?: string | undefined; webhookUrl?: string | undefined },
): Promise<{ webhook_id: string; url: string }[]> {
  const { webhookId, webhookUrl } = filter
  const rows = await db
    .selectFrom('webhook_urls')
    .select('webhook_id')
    .$if(webhookUrl === undefined, (query) => query.select('url'))
    .where('workspace_id', '=', workspaceId)
    .$if(webhookId !== undefined, (query) => query.where('webhook_id', '=', webhookId ?? ''))
    .$if(webhookUrl !== undefined, (query) =>
      query.where('url_hash', '=', sha256(webhookUrl ?? '')),
    )
    .orderBy('webhook_id', 'desc')
    .orderBy('url_hash')
    .limit(targetsMax)
    .execute()
  return rows.map(({ webhook_id, url = webhookUrl ?? '' }) => ({ webhook_id, url }))
}

/** The attempts of one destination at one URL with one outcome lie side by side in an index. */
export interface Run {
  webhook_id: string
  url: string
  success: boolean
}

/** The newest attempt of each run that has one; in no order. */
export const selectNewest = (workspaceId: string, runs: Run[], filter: AttemptFilter) =>
  sql<Run & { id: string }>`
    select r.webhook_id, r.url, r.success, newest.id
    from ${unnest(runs)}
    cross join lateral (
      select e.id
      from webhook_events e
      where ${conditions(workspaceId, filter)} and ${isOfRun(filter)}
      order by ${newestOfRun(filter)}
      limit 1
    ) newest`

/** The newest `most` attempts of each run; in no order. */
export const selectAttemptsOfRuns = (
  workspaceId: string,
  runs: Run[],
  filter: AttemptFilter,
  most: number,
) =>
  sql<Attempt>`
    select attempt.*
    from ${unnest(runs)}
    cross join lateral (
      select ${columns}
      from webhook_events e
      where ${conditions(workspaceId, filter)} and ${isOfRun(filter)}
      order by ${newestOfRun(filter)}
      limit ${most}::integer
    ) attempt
    where attempt.webhook_id = r.webhook_id and attempt.webhook_url = r.url
      and attempt.success = r.success`

export const findAttempt = async (db: Db, workspaceId: string, id: string) => {
  const { rows } = await sql<Attempt>`
    select ${columns}
    from webhook_events e
    where e.workspace_id = ${workspaceId}::uuid and e.id = ${id}::uuid`.execute(db)
  return rows[0]
}

export interface RetryOutcome {
  retry_group_id: string
  succeeded: boolean
  ended: boolean
}

/** How the retries of these deliveries went. None of them is older than `from`. */
export const selectRetryOutcomes = (workspaceId: string, retryGroupIds: string[], from: string) =>
  sql<RetryOutcome>`
    select e.retry_group_id, bool_or(e.success) as succeeded, bool_or(not e.will_retry) as ended
    from webhook_events e
    where e.workspace_id = ${workspaceId}::uuid
      and e.retry_group_id = any(${retryGroupIds}::uuid[])
      and e.retry_count > 0
      and e.id >= ${from}::uuid
    group by e.retry_group_id`

export const selectBodies = (workspaceId: string, eventIds: string[]) =>
  sql<{ id: string; body: string }>`
    select e.id, e.body
    from events e
    where e.workspace_id = ${workspaceId}::uuid and e.id = any(${eventIds}::uuid[])`

export interface DayCount {
  date: string
  succeeded: number
  failed: number
}

/** Days without an attempt have no row. Written with each attempt, so never behind. */
export async function listDayCounts(
  db: Db,
  workspaceId: string,
  window: DayWindow,
): Promise<DayCount[]> {
  const { rows } = await sql<DayCount>`
    select date, sum(succeeded)::float8 as succeeded, sum(failed)::float8 as failed
    from webhook_event_counts
    where workspace_id = ${workspaceId}::uuid
      and date between ${window.from}::date and ${window.to}::date
    group by date
    order by date`.execute(db)
  return rows
}

const columns = sql.join(
  [
    'id',
    'webhook_id',
    'webhook_url',
    'event_id',
    'event_type',
    'campaign_id',
    'lead_email',
    'retry_group_id',
    'retry_count',
    'status_code',
    'success',
    'will_retry',
    'timestamp_next_retry',
    'error_message',
    'response_time_ms',
    'response_body',
  ].map((column) => sql.ref(`e.${column}`)),
)

/** Each URL is sent once: thousands of destinations may have the same one. */
function unnest(runs: Run[]) {
  const urls = [...new Set(runs.map((run) => run.url))]
  const places = new Map(urls.map((url, index) => [url, index + 1]))
  return sql`(
      select k.webhook_id, (${urls}::text[])[k.place] as url, k.success
      from unnest(
        ${runs.map((run) => run.webhook_id)}::uuid[],
        ${runs.map((run) => places.get(run.url))}::integer[],
        ${runs.map((run) => run.success)}::boolean[]
      ) as k (webhook_id, place, success)
    ) r`
}

const firstId = firstIdAt(new Date(0))

const ofAttempt = runHashOfAttempt
const ofRun = runHash('r.url', 'r.webhook_id', 'r.success')

/**
 * Where nothing else is looked for the index of runs is walked, whatever the planner believes: knowing
 * that most attempts are of one run it would walk all of them by id to find none of another. Types and
 * leads have indexes that may be shorter.
 */
const isOfRun = (filter: AttemptFilter) =>
  isNarrowed(filter)
    ? sql`${ofAttempt} = ${ofRun}`
    : sql`(${ofAttempt}, e.id) < (${ofRun}, ${filter.before}::uuid)
        and (${ofAttempt}, e.id) >= (${ofRun}, ${filter.from ?? firstId}::uuid)`

const newestOfRun = (filter: AttemptFilter) =>
  isNarrowed(filter) ? sql`e.id desc` : sql`${ofAttempt} desc, e.id desc`

export const isNarrowed = ({ eventType, leadEmail }: AttemptFilter) =>
  eventType !== undefined || leadEmail !== undefined

/** `success` is written out: so a partial index fits, whichever way the statement is planned. */
function conditions(workspaceId: string, filter: AttemptFilter): RawBuilder<unknown> {
  const { success, eventType, leadEmail, from, before } = filter
  return sql.join(
    [
      sql`e.workspace_id = ${workspaceId}::uuid`,
      sql`e.id < ${before}::uuid`,
      ...(from === undefined ? [] : [sql`e.id >= ${from}::uuid`]),
      ...(success === undefined ? [] : [success ? sql`e.success` : sql`not e.success`]),
      ...(eventType === undefined ? [] : [sql`e.event_type = ${eventType}::text`]),
      ...(leadEmail === undefined ? [] : [sql`e.lead_email = ${leadEmail}::text`]),
    ],
    sql` and `,
  )
}
