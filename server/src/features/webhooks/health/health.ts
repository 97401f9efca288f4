import type { Context } from '../../../kernel/context.ts'
import { rowsOf } from '../../../kernel/db/rows-of.ts'
import { dayMs } from '../../../kernel/durations.ts'
import { notFound } from '../../../kernel/errors.ts'
import type { PageRequest } from '../../../kernel/http/page.ts'
import { firstIdAt, timeOfId } from '../../../kernel/ids.ts'
import { listLaneHealth } from '../../deliveries/index.ts'
import { findWebhook } from '../queries.ts'
import { listWebhooks } from '../webhooks.ts'
import * as queries from './queries.ts'
import type { WebhookHealth } from './schema.ts'

const attemptsMax = 30
const daysShown = 30

export async function getHealth(
  ctx: Context,
  workspaceId: string,
  id: string,
): Promise<WebhookHealth> {
  await requireWebhook(ctx, workspaceId, id)
  const [health] = await healthOf(ctx, workspaceId, [id])
  if (!health) throw notFound('webhook')
  return health
}

/** Of the same webhooks, in the same order, as a page of their list. */
export async function listHealth(ctx: Context, workspaceId: string, page: PageRequest) {
  const { items, ...rest } = await listWebhooks(ctx, workspaceId, {}, page)
  const ids = items.map(({ id }) => id)
  return { ...rest, items: await healthOf(ctx, workspaceId, ids) }
}

async function healthOf(
  { db, now }: Context,
  workspaceId: string,
  ids: string[],
): Promise<WebhookHealth[]> {
  // Partitions of the future are not opened.
  const before = firstIdAt(new Date(now().getTime() + dayMs))
  const [attempts, lanes, pendings] = [
    await rowsOf(db, queries.selectRecentAttempts(workspaceId, ids, before, attemptsMax)),
    await listLaneHealth(db, workspaceId, ids),
    await queries.listBacklogs(db, workspaceId, ids),
  ]
  const attemptsOf = Map.groupBy(attempts, ({ webhook_id }) => webhook_id)
  return ids.map((id) => {
    const lane = lanes.find(({ webhook_id }) => webhook_id === id)
    const pending = pendings.find(({ webhook_id }) => webhook_id === id)
    const pausesUntil = lane?.not_before && lane.not_before > now() ? lane.not_before : null
    const recent = (attemptsOf.get(id) ?? [])
      .sort((a, b) => (a.id < b.id ? 1 : -1))
      .slice(0, attemptsMax)
    return {
      id,
      failing_since: lane?.failing_since ?? null,
      failures: lane?.failures ?? 0,
      timestamp_next_probe: pausesUntil,
      pending: pending?.pending ?? 0,
      timestamp_oldest_pending: pending ? timeOfId(pending.oldest_id) : null,
      recent: recent.map(({ webhook_id: _, ...attempt }) => attempt),
    }
  })
}

/** One record for each of the last 30 UTC days, also for those without an attempt. */
export async function listDays({ db, now }: Context, workspaceId: string, id: string) {
  await requireWebhook({ db }, workspaceId, id)
  const firstMs = now().getTime() - (daysShown - 1) * dayMs
  const days = Array.from({ length: daysShown }, (_, index) =>
    new Date(firstMs + index * dayMs).toISOString().slice(0, 10),
  )
  const counts = await queries.listDayAttempts(db, workspaceId, id, days[0] ?? '')
  const items = days.map((date) => {
    const { succeeded = 0, failed = 0 } = counts.find((count) => count.date === date) ?? {}
    return { date, succeeded, failed }
  })
  return { items }
}

async function requireWebhook({ db }: Pick<Context, 'db'>, workspaceId: string, id: string) {
  if (!(await findWebhook(db, workspaceId, id))) throw notFound('webhook')
}
