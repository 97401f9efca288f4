import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../../../kernel/context.ts'
import * as queries from '../queries.ts'
import { type CampaignSteps, stepsOf } from './campaign-steps.ts'

/** Of hints that the leads of a campaign have to be rescheduled. */
export const rescheduleKind = 'rescheduling'

type EditedCampaign = Pick<
  queries.CampaignRow,
  'status' | 'total' | 'sequences' | 'campaign_schedule' | 'stop_for_company'
>

/** Whether leads were written down by what the campaign was before this change. */
export function mustReschedule(before: EditedCampaign, after: EditedCampaign): boolean {
  if (!before.total) return false
  if (after.stop_for_company && !before.stop_for_company) return true
  const [from, to] = [stepsOf(before), stepsOf(after)]
  // Nobody is behind the first step of a draft.
  if (before.status === 'draft') return !isDeepStrictEqual(timingOf(from)[0], timingOf(to)[0])
  return !isDeepStrictEqual(timingOf(from), timingOf(to))
}

/** An edit that takes a step from leads can be taken back for so long. */
const takenBackMs = 600_000

/**
 * When leads that this edit has left without a step are finished; undefined: it leaves nobody so. A step
 * that was moved may be behind a lead that did not get it.
 */
export function finishAfter(
  before: EditedCampaign,
  after: EditedCampaign,
  now: Date,
): Date | undefined {
  if (before.status === 'draft') return undefined
  const [from, to] = [idsOf(before), idsOf(after)]
  const kept = to.filter((id) => from.includes(id))
  if (isDeepStrictEqual(from, kept)) return undefined
  return new Date(now.getTime() + takenBackMs)
}

const idsOf = (campaign: EditedCampaign) => stepsOf(campaign).steps.map(({ id }) => id)

/** What the next times of leads are made from. The zone counts only where days do. */
const timingOf = ({ steps, zone }: CampaignSteps) =>
  steps.length === 0
    ? [{ delay: 0 }]
    : steps.map(({ id, delay, delay_unit }, index) => ({
        ...(index === 0 ? {} : { id }),
        delay,
        ...(delay === 0 ? {} : { delay_unit }),
        ...(delay > 0 && delay_unit === 'days' ? { zone } : {}),
      }))

const leaseMs = 60_000

/** A campaign whose leads are rescheduled, and until when this process does it. */
export interface RescheduleClaim {
  workspace_id: string
  id: string
  leads_follow_due: Date
}

/**
 * Takes the work, or goes on with it. Every edit sets it due again, and then what was claimed before
 * is nobody's.
 */
export async function claimRescheduling(
  ctx: Context,
  { workspace_id, id, leads_follow_due }: RescheduleClaim,
): Promise<RescheduleClaim | undefined> {
  const until = new Date(ctx.now().getTime() + leaseMs)
  const [claimed] = await queries.moveRescheduling(
    ctx.db,
    workspace_id,
    id,
    leads_follow_due,
    until,
  )
  return claimed && { workspace_id, id, leads_follow_due: until }
}

/**
 * Whom the edit has left without a step, that is looked at once more when they are to be finished.
 *
 * @param begun when the first of the leads were looked at: they may have been too early for that
 */
export async function endRescheduling(
  tx: Context,
  { workspace_id, id, leads_follow_due }: RescheduleClaim,
  begun: Date,
) {
  await queries.endRescheduling(tx.db, workspace_id, id, leads_follow_due, begun)
}
