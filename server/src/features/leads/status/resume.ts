import type { Context } from '../../../kernel/context.ts'
import { holdSteps } from '../../campaigns/index.ts'
import { type ActivityChange, planFinish } from '../activity/plan-activity.ts'
import { companyOf } from '../adding/company.ts'
import { nextSendOf } from '../following/next-send.ts'
import type { LeadState, LockedLead } from '../record.ts'

/** A lead that goes on: from the same step, when that is due; with nothing left it is finished. */
export async function resumed(
  tx: Context,
  lead: LockedLead,
  patch: Partial<LeadState>,
): Promise<ActivityChange> {
  const steps = await holdSteps(tx.db, lead.workspace_id, lead.campaign_id)
  const timestamp_next_send = nextSendOf(steps, lead)
  const company = steps.stop_for_company ? companyOf(lead.email_folded) : lead.company
  const going = { ...patch, timestamp_next_send, company, skip_reason: null }
  if (timestamp_next_send) return { patch: going, events: [] }
  const finish = planFinish(lead)
  return { patch: { ...going, ...finish.patch }, events: finish.events }
}
