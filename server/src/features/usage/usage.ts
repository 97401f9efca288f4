import type { Context } from '../../kernel/context.ts'
import { dayMs } from '../../kernel/durations.ts'
import { sumDays } from '../daily-counts/index.ts'
import { countKeptLeads } from '../leads/index.ts'
import { sumMailboxUse } from '../mailboxes/manage/index.ts'
import { getWorkspace } from '../workspaces/index.ts'
import * as queries from './queries.ts'

/** @param isOperator may see what all workspaces of the database take together */
export async function readUsage(
  ctx: Context,
  workspaceId: string,
  { isOperator }: { isOperator: boolean },
) {
  const today = ctx.now().toISOString().slice(0, 10)
  const month = today.slice(0, 7)
  const from = `${month}-01`
  const { plan_leads_max: leads_max } = await getWorkspace(ctx, workspaceId)
  // The day after may have begun in the zone of a campaign, and counts for its own month.
  const tomorrow = dayAfter(today)
  const to = tomorrow.startsWith(month) ? tomorrow : today
  const window = { from, to, campaignId: null }
  const days = await sumDays(ctx.db, workspaceId, window)
  const attempts = await queries.countAttempts(ctx.db, workspaceId, from)
  return {
    period_start: new Date(from),
    ...{ leads: await countKeptLeads(ctx.db, workspaceId, undefined), leads_max },
    ...(await sumMailboxUse(ctx, workspaceId)),
    mails: days.reduce((sum, { sent }) => sum + sent, 0),
    ...{ deliveries_succeeded: attempts.succeeded, deliveries_failed: attempts.failed },
    database_bytes: isOperator ? await queries.readDatabaseBytes(ctx.db) : null,
  }
}

const dayAfter = (day: string) => new Date(Date.parse(day) + dayMs).toISOString().slice(0, 10)
