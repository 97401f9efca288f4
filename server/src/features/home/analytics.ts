import { parseDay } from '../../kernel/calendar.ts'
import type { Context } from '../../kernel/context.ts'
import { dayMs } from '../../kernel/durations.ts'
import { invalidField } from '../../kernel/errors.ts'
import { sumDays } from '../daily-counts/index.ts'

interface AnalyticsQuery {
  /** First and last day, `YYYY-MM-DD`. */
  from?: string
  to?: string
  campaign_id?: string
}

const daysUsual = 30
const daysMost = 366

/** What the mails of campaigns came to, each day by the zone of its campaign. */
export async function readAnalytics(ctx: Context, workspaceId: string, query: AnalyticsQuery) {
  const today = Date.parse(ctx.now().toISOString().slice(0, 10))
  // East of UTC a day begins earlier.
  const to = dayOf('to', query.to) ?? new Date(today + dayMs)
  const last = Math.min(to.getTime(), today)
  const from = dayOf('from', query.from) ?? new Date(last - (daysUsual - 1) * dayMs)
  const days = (to.getTime() - from.getTime()) / dayMs + 1
  if (days < 1 || days > daysMost) {
    throw invalidField('/from', `from and to must be 1 to ${daysMost} days apart`)
  }
  const items = await sumDays(ctx.db, workspaceId, {
    ...{ from: textOf(from), to: textOf(to), campaignId: query.campaign_id ?? null },
  })
  return { items }
}

const textOf = (day: Date) => day.toISOString().slice(0, 10)

function dayOf(name: 'from' | 'to', text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  if (parseDay(text)) return new Date(`${text}T00:00:00Z`)
  throw invalidField(`/${name}`, `${name} must be a day such as 2026-11-20`)
}
