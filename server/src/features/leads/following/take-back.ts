import type { Context } from '../../../kernel/context.ts'
import { column } from '../../../kernel/db/column.ts'
import { type HeldSteps, nextStep } from '../../campaigns/index.ts'
import { findErased } from '../../suppression/index.ts'
import { mayBeTakenBackMs } from '../activity/plan-activity.ts'
import { companyIn } from '../adding/company.ts'
import { ChangingLead, changeLeadsAndReopen } from '../change-leads.ts'
import * as queries from '../queries.ts'
import { isErased, type LeadState, type LockedLead } from '../record.ts'
import { findMissedStops, type StopReason } from '../status/missed-stops.ts'
import { holdStepsOfCampaigns } from '../status/resume.ts'

interface TakenStep {
  leadId: string
  stepId: string
  variantId: string
  day: string
  /** When the lead got the mail before, from which the delay of this step counts; null: not known. */
  sentBefore: Date | null
}

/**
 * Steps that leads were thought to have got, and did not: they are next again, at once, or on the return of
 * who is absent. A lead that was finished with such a step is stopped instead by what
 * came in since, for nothing stops who is finished. One that has got a later step goes on from there, for
 * its sequence does not go back. Whose person is erased gets nothing more. What was told of them in events
 * stays told.
 */
export async function takeBackSteps(tx: Context, workspaceId: string, steps: TakenStep[]) {
  const byLead = Map.groupBy(steps, ({ leadId }) => leadId)
  const locked = await queries.lockLeads(tx.db, workspaceId, [...byLead.keys()])
  const leads = locked.map((lead) => new ChangingLead(lead))
  const finished = locked.filter(({ sending_state }) => sending_state === 'finished')
  const missedStops = await findMissedStops(tx, workspaceId, finished)
  const campaigns = await holdStepsOfCampaigns(tx, workspaceId, finished)
  const addresses = column(finished, 'email_folded')
  const erased = await findErased(tx.db, workspaceId, addresses)
  for (const lead of leads) {
    const taken = byLead.get(lead.now.id) ?? []
    for (const { stepId, variantId, day } of taken) {
      if (!lead.now.sent_step_ids.includes(stepId)) continue
      lead.about({ step_id: stepId, variant_id: variantId })
      lead.count('sent', day, -1)
    }
    const { stays, company } = followed(lead.now, campaigns.get(lead.now.campaign_id))
    const isGone = isErased(lead.now) || erased.has(lead.now.email_folded)
    const missedStop = missedStops.get(lead.now.id)
    const after = { stays: stays || isGone, company, missedStop }
    lead.change(withoutSteps(lead.now, taken, after, tx.now()), [], tx.now())
  }
  await changeLeadsAndReopen(tx, workspaceId, leads)
}

function withoutSteps(
  lead: LockedLead,
  taken: TakenStep[],
  { stays, company, missedStop }: Followed & { missedStop: StopReason | undefined },
  now: Date,
): Partial<LeadState> {
  const stepIds = new Set(taken.map(({ stepId }) => stepId))
  const sent_step_ids = lead.sent_step_ids.filter((id) => !stepIds.has(id))
  if (sent_step_ids.length === lead.sent_step_ids.length) return {}
  if (sent_step_ids.at(-1) === lead.sent_step_ids.at(-1)) return { sent_step_ids }
  const isFirst = sent_step_ids.length === 0
  const patch: Partial<LeadState> = {
    sent_step_ids,
    current_step: isFirst ? 0 : Math.max(1, lead.current_step - stepIds.size),
    timestamp_last_contact: isFirst ? null : (taken[0]?.sentBefore ?? lead.timestamp_last_contact),
    ...(isFirst ? { mailbox_id: null, thread_subject: null } : {}),
  }
  if (stays) return patch
  const status = lead.status === 'completed' ? 'contacted' : lead.status
  if (missedStop) {
    return { ...patch, status, sending_state: 'stopped', stop_reason: missedStop }
  }
  // What is put off for so short waited to hear of this mail.
  const absent = new Date(now.getTime() + mayBeTakenBackMs)
  const isAway = lead.postponed_until && lead.postponed_until > absent
  const postponed_until = isAway ? lead.postponed_until : null
  const timestamp_next_send = postponed_until ?? now
  const going = { ...patch, status, timestamp_next_send, postponed_until, company }
  // Still for what the service paused it for, if so: without a reason a person did.
  if (lead.sending_state === 'paused') return going
  return { ...going, sending_state: isFirst ? 'pending' : 'active' }
}

/**
 * Where a lead stands by its campaign as it is now: a finished one was not moved when the steps, or whether it
 * stops for a company, were edited.
 */
function followed(lead: LockedLead, steps: HeldSteps | undefined): Followed {
  const { sending_state, company } = lead
  if (sending_state !== 'finished' || !steps) return { stays: sending_state === 'stopped', company }
  return { stays: nextStep(steps.steps, lead) !== undefined, company: companyIn(steps, lead) }
}

interface Followed extends Pick<LockedLead, 'company'> {
  /** Nothing is sent to it, whether or not it got these steps: it was not its last mail that ended it. */
  stays: boolean
}
