import { dayOf } from '../../kernel/calendar.ts'
import type { Context } from '../../kernel/context.ts'
import { invalidField } from '../../kernel/errors.ts'
import { listStepDays, type StepDay } from '../daily-counts/index.ts'
import { getCampaign } from './campaigns.ts'
import { zoneOf } from './sequence/step-timing.ts'

export interface CampaignAnalytics {
  timezone: string
  from: string
  to: string
  items: StepDay[]
}

/** Days of the campaign's zone, the last 30 where none are named; both ends are included. */
export async function readAnalytics(
  ctx: Context,
  workspaceId: string,
  id: string,
  asked: { from?: string | undefined; to?: string | undefined },
): Promise<CampaignAnalytics> {
  const campaign = await getCampaign(ctx, workspaceId, id)
  const timezone = zoneOf(campaign.campaign_schedule)
  const last = dateOf('to', asked.to ?? dayOf(timezone, ctx.now()))
  const first = asked.from === undefined ? last.subtract({ days: 29 }) : dateOf('from', asked.from)
  const days = first.until(last, { largestUnit: 'day' }).days
  if (days < 0 || days > daysMax) {
    throw invalidField('from', `from must be at most ${daysMax} days before to, and not after it`)
  }
  const [from, to] = [first.toString(), last.toString()]
  return { timezone, from, to, items: await listStepDays(ctx.db, workspaceId, id, from, to) }
}

const daysMax = 400

function dateOf(name: string, text: string): Temporal.PlainDate {
  try {
    return Temporal.PlainDate.from(text)
  } catch {
    throw invalidField(name, `${name} must be a day such as 2026-11-20`)
  }
}
