import { dayOf } from '../../../kernel/calendar.ts'
import { type AnyContext, type Context, inWorkspace } from '../../../kernel/context.ts'
import { pauseCampaign, zoneOf } from '../../campaigns/index.ts'
import { addBounces, type BouncedDay } from '../../daily-counts/index.ts'
import * as queries from './bounce-queries.ts'

/** A hard bounce of a mail of this campaign. */
export interface CountedBounce {
  workspace_id: string
  campaign_id: string
  /** In the zone of the campaign. */
  day: string
  /** The mail was not taken at all: it is not among those that were sent. */
  refused: boolean
}

const windowDays = 7
const attemptedMin = 50
/** More than one in so many. */
const attemptedPerBounce = 20

/**
 * Counts hard bounces and pauses the campaigns that have too many of them: lists like that ruin the
 * mailboxes that they are sent from. Looked at with each bounce; who activates such a campaign again
 * starts from nothing.
 */
export async function countBounces(tx: AnyContext, bounces: CountedBounce[]) {
  if (bounces.length === 0) return
  const days = new Map<string, BouncedDay>()
  for (const { workspace_id, campaign_id, day, refused } of bounces) {
    const key = `${workspace_id}${campaign_id}${day}`
    const counted = days.get(key)
    days.set(key, {
      ...{ workspace_id, campaign_id, day },
      bounced: (counted?.bounced ?? 0) + 1,
      refused: (counted?.refused ?? 0) + Number(refused),
    })
  }
  const inOrder = [...days].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, day]) => day)
  await addBounces(tx.db, inOrder)
  const campaigns = new Map(inOrder.map((day) => [day.campaign_id, day]))
  for (const { workspace_id, campaign_id, day } of campaigns.values()) {
    const since = Temporal.PlainDate.from(day)
      .subtract({ days: windowDays - 1 })
      .toString()
    const own = inWorkspace(tx, workspace_id)
    const [sums] = await queries.sumBounces(own.db, workspace_id, campaign_id, since)
    if (sums && isTooMany(sums)) {
      await pauseCampaign(own, workspace_id, campaign_id, 'bounce_protection')
    }
  }
}

const isTooMany = ({ attempted, bounced }: queries.BounceSums) =>
  attempted >= attemptedMin && bounced * attemptedPerBounce > attempted

/** Hard bounces that came back as mails, of campaigns of one workspace; today is when they count. */
export async function countReturnedBounces(
  tx: Context,
  workspaceId: string,
  campaignIds: string[],
) {
  if (campaignIds.length === 0) return
  const schedules = await queries.holdSchedules(tx.db, workspaceId, campaignIds)
  const zones = new Map(schedules.map((row) => [row.id, zoneOf(row.campaign_schedule)]))
  await countBounces(
    tx,
    campaignIds
      .filter((campaign_id) => zones.has(campaign_id))
      .map((campaign_id) => ({
        ...{ workspace_id: workspaceId, campaign_id, refused: false },
        day: dayOf(zones.get(campaign_id) ?? 'UTC', tx.now()),
      })),
  )
}
