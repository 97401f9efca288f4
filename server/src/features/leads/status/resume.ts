import type { Context } from '../../../kernel/context.ts'
import { type HeldSteps, holdSteps } from '../../campaigns/index.ts'
import { type ActivityChange, planFinish } from '../activity/plan-activity.ts'
import { companyIn } from '../adding/company.ts'
import { nextSendOf } from '../following/next-send.ts'
import type { LeadState, LockedLead } from '../record.ts'

/** The steps of the leads' campaigns by id: each is read once, since they may be long, and they are held in one order. */
export async function holdStepsOfCampaigns(
  tx: Context,
  workspaceId: string,
  leads: LockedLead[],
): Promise<Map<string, HeldSteps>> {
  const held = new Map<string, HeldSteps>()
  for (const id of [...new Set(leads.map(({ campaign_id }) => campaign_id))].sort()) {
    held.set(id, await holdSteps(tx.db, workspaceId, id))
  }
  return held
}

/**
 * A lead that goes on: from the same step, when that is due; with nothing left it is finished. Where what is
 * late is given up, a follow-up whose time has passed meanwhile would else never be sent.
 *
 * @param steps of its campaign, held: what was written down of it may be of other ones
 * @param overdueSince of a follow-up whose time was before that
 */
export function planResume(
  steps: HeldSteps,
  lead: LockedLead,
  patch: Partial<LeadState>,
  now: Date,
  overdueSince = now,
): ActivityChange {
  const next = nextSendOf(steps, lead, now)
  const isLate = next !== null && next < overdueSince && lead.sent_step_ids.length > 0
  const timestamp_next_send = isLate ? overdueSince : next
  const company = companyIn(steps, lead)
  const going = { ...patch, timestamp_next_send, company, skip_reason: patch.skip_reason ?? null }
  if (timestamp_next_send) return { patch: going, events: [] }
  const finish = planFinish(lead)
  return { patch: { ...going, ...finish.patch }, events: finish.events }
}
