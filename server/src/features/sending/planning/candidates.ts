import type { ZoneCalendar } from '../../../kernel/calendar.ts'
import { delayedMs, nextStep } from '../../campaigns/index.ts'
import { variantOf } from './pace.ts'
import type {
  PlannedCampaign,
  PlannedLead,
  PlannedStep,
  PlannedVariant,
  WaitReason,
} from './planned.ts'

/** A lead that gets a mail as soon as it is due and its turn. */
export interface Candidate {
  lead: PlannedLead
  step: PlannedStep
  variant: PlannedVariant
  dueMs: number
  /** Any mailbox may write it; a follow-up comes from that of its thread. */
  isNew: boolean
}

/** What a lead gets next, or what keeps it from getting anything until something changes. */
export function candidateOf(
  campaign: PlannedCampaign,
  calendar: ZoneCalendar,
  lead: PlannedLead,
  nowMs: number,
): Candidate | WaitReason {
  if (lead.suppressed) return 'suppressed'
  const step = nextStep(campaign.steps, lead)
  if (!step) return 'no_step_left'
  const variant = variantOf(step, lead.id)
  if (!variant) return 'no_enabled_variant'
  const isNew = lead.sent_step_ids.length === 0
  const dueMs = dueOf(calendar, step, lead)
  if (!isNew && isExpired(campaign, calendar, dueMs, nowMs)) return 'expired'
  return { lead, step, variant, dueMs, isNew }
}

function dueOf(calendar: ZoneCalendar, step: PlannedStep, lead: PlannedLead): number {
  const from = lead.last_sent_at ?? lead.timestamp_created
  const delayed = delayedMs(calendar, step, from.getTime())
  return lead.not_before ? Math.max(delayed, lead.not_before.getTime()) : delayed
}

const isExpired = (
  { expire_after_days }: PlannedCampaign,
  calendar: ZoneCalendar,
  dueMs: number,
  nowMs: number,
) => expire_after_days !== null && calendar.addDays(dueMs, expire_after_days) < nowMs
