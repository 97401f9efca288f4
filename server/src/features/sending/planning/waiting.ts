import type { Budget } from './allocate.ts'
import type { Candidate } from './candidates.ts'
import type { WaitingLead, WaitReason } from './planned.ts'
import type { PlannedLane } from './planned-lane.ts'

/** Lanes and budget as `allocate` left them. */
export interface AllocatedWindow {
  budget: Budget
  lanes: Map<string, PlannedLane>
  isOpen: boolean
  /** When the open window closes; else when the next one opens. */
  untilMs: number
}

/** Why a lead that could get its mail does not get it in this window. */
export function whyWaiting(candidate: Candidate, window: AllocatedWindow): WaitingLead {
  const { budget, untilMs } = window
  const { reason, wakeMs } = obstacleOf(candidate, window)
  const opensMs = budget.windows.openingAt(Math.max(wakeMs, untilMs))
  const lead_id = candidate.lead.id
  if (opensMs === null) return { lead_id, reason: 'schedule_ended', until: null }
  return { lead_id, reason, until: new Date(opensMs) }
}

function obstacleOf(
  candidate: Candidate,
  { budget, lanes, isOpen, untilMs }: AllocatedWindow,
): { reason: WaitReason; wakeMs: number } {
  const { lead, dueMs, isNew } = candidate
  if (dueMs >= untilMs) return { reason: 'waiting_for_step_delay', wakeMs: dueMs }
  if (!isOpen) return { reason: 'outside_schedule', wakeMs: untilMs }
  const lane = isNew ? earliest(lanes.values()) : lanes.get(lead.mailbox_id ?? '')
  const freeMs = lane?.wakeMs ?? untilMs
  const tomorrowMs = Math.max(budget.dayEndMs, freeMs)
  if (budget.sent >= budget.limit) return { reason: 'campaign_daily_limit', wakeMs: tomorrowMs }
  if (isNew && budget.newLeads >= budget.newLeadsMax) {
    return { reason: 'new_lead_limit', wakeMs: tomorrowMs }
  }
  const isFull = lane !== undefined && lane.sent >= lane.limit
  return { reason: isFull ? 'mailbox_daily_limits' : 'mailbox_busy', wakeMs: freeMs }
}

const earliest = (lanes: Iterable<PlannedLane>) =>
  [...lanes].reduce((first, lane) => (lane.wakeMs < first.wakeMs ? lane : first))
