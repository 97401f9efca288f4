import { afterDelay, type CampaignSteps, nextStep } from '../../campaigns/index.ts'
import type { StoredLead } from '../record.ts'

type Progress = Pick<
  StoredLead,
  | 'sent_step_ids'
  | 'current_step'
  | 'timestamp_created'
  | 'timestamp_last_contact'
  | 'postponed_until'
>

/**
 * The first instant for the lead's next step by its delay alone; null when every step was sent. A
 * campaign that has no step yet is expected to get one without a delay.
 */
export function nextSendOf({ steps, zone }: CampaignSteps, lead: Progress): Date | null {
  const from = lead.timestamp_last_contact ?? lead.timestamp_created
  if (steps.length === 0) return from
  const step = nextStep(steps, lead)
  if (!step) return null
  const next = afterDelay(zone, step, lead.sent_step_ids.length > 0 ? from : lead.timestamp_created)
  return lead.postponed_until && lead.postponed_until > next ? lead.postponed_until : next
}
