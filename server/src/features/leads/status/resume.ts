import type { Context } from '../../../kernel/context.ts'
import { type HeldSteps, holdSteps } from '../../campaigns/index.ts'
import { type ActivityChange, planFinish } from '../activity/plan-activity.ts'
import { companyIn } from '../adding/company.ts'
import { nextSendOf } from '../following/next-send.ts'
import type { LeadState, LockedLead } from '../record.ts'

/** A lead that goes on: from the same step, when that is due; with nothing left it is finished. */
export async function resumed(
  tx: Context,
  lead: LockedLead,
  patch: Partial<LeadState>,
): Promise<ActivityChange> {
  const steps = await holdSteps(tx.db, lead.workspace_id, lead.campaign_id)
  return planResume(steps, lead, patch)
}

/** The same, of a campaign whose steps are held: what was written down of it may be of other ones. */
export function planResume(
  steps: HeldSteps,
  lead: LockedLead,
  patch: Partial<LeadState>,
): ActivityChange {
  const timestamp_next_send = nextSendOf(steps, lead)
  const company = companyIn(steps, lead)
  const going = { ...patch, timestamp_next_send, company, skip_reason: null }
  if (timestamp_next_send) return { patch: going, events: [] }
  const finish = planFinish(lead)
  return { patch: { ...going, ...finish.patch }, events: finish.events }
}
