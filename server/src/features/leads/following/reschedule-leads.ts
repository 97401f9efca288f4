import { type Context, inWorkspace, type ProcessContext } from '../../../kernel/context.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { nilId } from '../../../kernel/ids.ts'
import {
  type CampaignToReschedule,
  claimRescheduling,
  endRescheduling,
  findCampaignsToReschedule,
  type HeldSteps,
  holdSteps,
  type RescheduleClaim,
} from '../../campaigns/index.ts'
import { markLeadsDue } from '../../mailbox-lanes/index.ts'
import { planFinish } from '../activity/plan-activity.ts'
import { companyIn } from '../adding/company.ts'
import { ChangingLead, changeLeads } from '../change-leads.ts'
import * as queries from '../queries.ts'
import { isSending } from '../record.ts'
import { resumeMended } from '../status/resume-mended.ts'
import { nextSendOf } from './next-send.ts'
import * as reschedule from './reschedule-queries.ts'

const campaignsMax = 20
const leadsMax = 2000

/**
 * Writes the leads of campaigns whose steps were edited again: that those go on whose mail could not be made,
 * when their next mail is due, whose colleagues they are, and, once the edit cannot be taken back any more, that
 * they are done where no step is left. Little by little, beside everything else: until a lead's turn comes it is
 * found a little late or looked at in vain, but never sent to early, because the planner works out its time from
 * what it is made of.
 */
export async function rescheduleLeads(ctx: ProcessContext, signal?: AbortSignal) {
  const due = await findCampaignsToReschedule(ctx.db, ctx.now(), campaignsMax)
  for (const campaign of due)
    await rescheduleCampaign(inWorkspace(ctx, campaign.workspace_id), campaign, signal)
}

/**
 * Goes over the leads once; given up as soon as the campaign is edited again, or another's. The first
 * leads, which are often all, are not claimed before: two who reschedule the same ones do no harm.
 */
async function rescheduleCampaign(
  ctx: Context,
  campaign: CampaignToReschedule,
  signal?: AbortSignal,
) {
  const begun = ctx.now()
  if (campaign.has_failed_templates) await resumeWhereMended(ctx, campaign, signal)
  let claim: RescheduleClaim | undefined = signal?.aborted ? undefined : campaign
  let place: reschedule.WalkedLead | undefined = reschedule.beforeAllLeads
  while (claim && place) {
    place = await rescheduleBatch(ctx, claim, { after: place, begun })
    // Who stops here leaves the claim to end by itself; another then begins anew.
    if (place) claim = signal?.aborted ? undefined : await claimRescheduling(ctx, claim)
  }
}

/** Whose mail could not be made may lack nothing for the text as it is now. */
async function resumeWhereMended(
  ctx: Context,
  { workspace_id, id }: RescheduleClaim,
  signal?: AbortSignal,
) {
  let after: string | undefined = nilId
  while (after && !signal?.aborted) {
    const ids = await reschedule.listFailedTemplates(ctx.db, workspace_id, id, after, leadsMax)
    if (ids.length > 0) {
      await transaction(ctx, async (tx) =>
        resumeMended(tx, workspace_id, await queries.lockLeads(tx.db, workspace_id, ids)),
      )
    }
    after = ids.length === leadsMax ? ids.at(-1) : undefined
  }
}

/** @returns the last of these leads, to go on after; undefined: all were rescheduled, which is recorded */
const rescheduleBatch = (
  ctx: Context,
  claim: RescheduleClaim,
  { after, begun }: { after: reschedule.WalkedLead; begun: Date },
): Promise<reschedule.WalkedLead | undefined> =>
  transaction(ctx, async (tx) => {
    const { workspace_id, id } = claim
    const steps = await holdSteps(tx.db, workspace_id, id)
    const walked = await reschedule.walkLeads(tx.db, workspace_id, id, after, leadsMax)
    const place = walked.length === leadsMax ? walked.at(-1) : undefined
    const ids = walked.map((lead) => lead.id)
    const leads =
      ids.length > 0 ? await reschedule.lockForRescheduling(tx.db, workspace_id, ids) : []
    const sending = leads.filter(({ sending_state }) => isSending(sending_state))
    const moved = sending.flatMap((lead) => {
      const now = rescheduled(steps, lead, tx.now())
      return now.timestamp_next_send && isOther(lead, now) ? [now] : []
    })
    const before = new Map(leads.map((lead) => [lead.id, lead]))
    if (moved.length > 0) await reschedule.updateRescheduled(tx.db, workspace_id, moved)
    const done = sending.filter((lead) => nextSendOf(steps, lead, tx.now()) === null)
    if (done.length > 0) await finish(tx, workspace_id, done)
    if (!place) await endRescheduling(tx, claim, begun)
    // What is due later than it was is found when its mailbox wakes for it.
    if (moved.some((lead) => isSooner(lead, before.get(lead.id)))) {
      await markLeadsDue(tx, workspace_id, [id])
    }
    return place
  })

const rescheduled = (
  steps: HeldSteps,
  lead: reschedule.RescheduledLead,
  now: Date,
): reschedule.RescheduledLead => ({
  ...lead,
  timestamp_next_send: nextSendOf(steps, lead, now),
  company: companyIn(steps, lead),
})

const isOther = (before: reschedule.RescheduledLead, now: reschedule.RescheduledLead) =>
  before.company !== now.company ||
  before.timestamp_next_send?.getTime() !== now.timestamp_next_send?.getTime()

const isSooner = (
  now: reschedule.RescheduledLead,
  before: reschedule.RescheduledLead | undefined,
) =>
  (now.timestamp_next_send?.getTime() ?? 0) <
  (before?.timestamp_next_send?.getTime() ?? Number.POSITIVE_INFINITY)

/** The steps that were left were removed. */
async function finish(tx: Context, workspaceId: string, done: reschedule.RescheduledLead[]) {
  const locked = await queries.lockLeads(
    tx.db,
    workspaceId,
    done.map(({ id }) => id),
  )
  const leads = locked.map((lead) => new ChangingLead(lead))
  for (const lead of leads) {
    const { patch, events } = planFinish(lead.now)
    lead.change(patch, events, tx.now())
  }
  await changeLeads(tx, workspaceId, leads)
}
