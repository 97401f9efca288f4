import type { Context } from '../../../kernel/context.ts'
import type { Db } from '../../../kernel/db/db.ts'
import { rowsOf } from '../../../kernel/db/rows-of.ts'
import { dayMs } from '../../../kernel/durations.ts'
import { emailInQuery } from '../../../kernel/email.ts'
import { notFound } from '../../../kernel/errors.ts'
import { type PageRequest, toPage } from '../../../kernel/http/page.ts'
import { firstIdAt, timeOfId } from '../../../kernel/ids.ts'
import { parseJsonText } from '../../../kernel/json/parse-json-text.ts'
import { clockLagMs } from '../../deliveries/index.ts'
import { listNewestAttempts } from './listing.ts'
import type { Attempt, RetryOutcome } from './queries.ts'
import * as queries from './queries.ts'
import { type Summary, summarise } from './rates.ts'
import type { AttemptQuery, SummaryQuery, WebhookEvent } from './schema.ts'
import { daysOf, parseDays, parseTimes } from './window.ts'

export async function listWebhookEvents(
  ctx: Context,
  workspaceId: string,
  query: AttemptQuery,
  page: PageRequest,
) {
  const times = parseTimes(query)
  const filter = {
    success: query.success,
    webhookId: query.webhook_id,
    webhookUrl: query.webhook_url,
    eventType: query.event_type,
    leadEmail: query.lead_email && emailInQuery(query.lead_email),
    from: times.from,
    before: earliest(
      page.startingAfter,
      times.before,
      firstIdAt(new Date(ctx.now().getTime() + dayMs)),
    ),
  }
  const rows = await listNewestAttempts(ctx.db, workspaceId, filter, page.limit + 1)
  const found = toPage(rows, page.limit)
  return { ...found, items: await toRecords(ctx.db, workspaceId, found.items) }
}

export async function getWebhookEvent(
  ctx: Context,
  workspaceId: string,
  id: string,
): Promise<WebhookEvent> {
  const row = await queries.findAttempt(ctx.db, workspaceId, id)
  const [record] = row ? await toRecords(ctx.db, workspaceId, [row]) : []
  if (!record) throw notFound('webhook event')
  return record
}

export async function summariseAttempts(
  ctx: Context,
  workspaceId: string,
  query: SummaryQuery,
): Promise<Summary> {
  const counts = await queries.listDayCounts(ctx.db, workspaceId, parseDays(query, ctx.now()))
  const sum = (which: 'succeeded' | 'failed') =>
    counts.reduce((total, count) => total + count[which], 0)
  return summarise(sum('succeeded'), sum('failed'))
}

/** One record for every day of the window, also for those without an attempt. */
export async function summariseByDate(ctx: Context, workspaceId: string, query: SummaryQuery) {
  const window = parseDays(query, ctx.now())
  const counts = await queries.listDayCounts(ctx.db, workspaceId, window)
  const byDate = new Map(counts.map((count) => [count.date, count]))
  const items = daysOf(window).map((date) => {
    const { succeeded = 0, failed = 0 } = byDate.get(date) ?? {}
    return { date, ...summarise(succeeded, failed) }
  })
  return { items }
}

async function toRecords(db: Db, workspaceId: string, rows: Attempt[]): Promise<WebhookEvent[]> {
  const payloads = await readPayloads(db, workspaceId, rows)
  const outcomes = await readRetryOutcomes(db, workspaceId, rows)
  return rows.map((row) => ({
    ...row,
    payload: payloads.get(row.event_id) ?? {},
    ...creationOf(row.id),
    organization_id: workspaceId,
    retry_successful: retrySuccessful(row, outcomes.get(row.retry_group_id)),
  }))
}

function creationOf(id: string) {
  const time = timeOfId(id)
  return { timestamp_created: time, timestamp_created_date: time.toISOString().slice(0, 10) }
}

async function readPayloads(db: Db, workspaceId: string, rows: Attempt[]) {
  const ids = [...new Set(rows.map((row) => row.event_id))]
  const bodies = ids.length === 0 ? [] : await rowsOf(db, queries.selectBodies(workspaceId, ids))
  return new Map(
    bodies.map(({ id, body }) => [id, parseJsonText(body) as Record<string, unknown>] as const),
  )
}

/** Reads only deliveries that were retried: the record of any other says it all. */
async function readRetryOutcomes(db: Db, workspaceId: string, rows: Attempt[]) {
  const retried = rows.filter((row) => !row.success && row.will_retry)
  const oldest = retried.map((row) => row.id).sort()[0]
  if (oldest === undefined) return new Map<string, RetryOutcome>()
  const groups = [...new Set(retried.map((row) => row.retry_group_id))]
  const from = firstIdAt(new Date(timeOfId(oldest).getTime() - clockLagMs))
  const outcomes = await rowsOf(db, queries.selectRetryOutcomes(workspaceId, groups, from))
  return new Map(outcomes.map((outcome) => [outcome.retry_group_id, outcome] as const))
}

/**
 * Contract §4: true for a successful retry and for a failed attempt whose delivery succeeded later,
 * false when it ended without success, null while it is open and for a success at once.
 */
function retrySuccessful(row: Attempt, outcome: RetryOutcome | undefined): boolean | null {
  if (row.success) return row.retry_count > 0 ? true : null
  if (!row.will_retry) return false
  if (outcome?.succeeded) return true
  return outcome?.ended ? false : null
}

const earliest = (...ids: (string | undefined)[]) =>
  ids
    .filter((id) => id !== undefined)
    .sort()
    .at(0) ?? firstIdAt(new Date(0))
