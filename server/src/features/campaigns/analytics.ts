import { dayOf, parseDay } from '../../kernel/calendar.ts'
import type { Context } from '../../kernel/context.ts'
import { invalidField } from '../../kernel/errors.ts'
import { listStepDays, type StepOutcome, stepOutcomes } from '../daily-counts/index.ts'
import type { CampaignAnalytics } from './application-schema.ts'
import { getCampaign } from './campaigns.ts'
import type { CampaignSequence } from './sequence/sequence-schema.ts'
import { zoneOf } from './sequence/step-timing.ts'

type AnalyticsItem = CampaignAnalytics['items'][number]

type StepNumbers = Pick<AnalyticsItem, 'step' | 'variant'>

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
  const numbersOf = numbering(campaign.sequences)
  const counted = (await listStepDays(ctx.db, workspaceId, id, from, to)).map(
    ({ day, step_id, variant_id, ...outcomes }) => ({
      ...{ day, ...numbersOf(step_id, variant_id), ...outcomes },
    }),
  )
  return { timezone, from, to, items: summed(counted) }
}

/** A variant that was moved to another step has its number there. */
function numbering(sequences: CampaignSequence[]) {
  const numbers = new Map<string | null, StepNumbers>()
  for (const [index, { id, variants }] of sequences.flatMap(({ steps }) => steps).entries()) {
    const step = index + 1
    numbers.set(id, { step, variant: null })
    for (const [place, variant] of variants.entries()) {
      numbers.set(variant.id, { step, variant: place + 1 })
    }
  }
  return (stepId: string | null, variantId: string | null): StepNumbers =>
    numbers.get(variantId) ?? numbers.get(stepId) ?? { step: null, variant: null }
}

/** Each day's in the order of the numbers; what was removed is one, and comes last. */
function summed(counted: AnalyticsItem[]): AnalyticsItem[] {
  const byPlace = Map.groupBy(counted, ({ day, step, variant }) => `${day} ${step} ${variant}`)
  return [...byPlace]
    .sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true })) // letters come after digits
    .map(([, items]) => {
      const { day, step, variant } = items[0] as AnalyticsItem
      return { day, step, variant, ...sumsOf(items) }
    })
}

const sumsOf = (items: AnalyticsItem[]) =>
  Object.fromEntries(
    stepOutcomes.map((outcome) => [outcome, items.reduce((sum, item) => sum + item[outcome], 0)]),
  ) as Record<StepOutcome, number>

const daysMax = 400

function dateOf(name: string, text: string): Temporal.PlainDate {
  const day = parseDay(text)
  if (day) return day
  throw invalidField(name, `${name} must be a day such as 2026-11-20`)
}
