import { allocate, budgetOf, lanesOf } from './allocate.ts'
import { type Candidate, candidateOf } from './candidates.ts'
import { LeadWork } from './lead-work.ts'
import type {
  PlannedCampaign,
  PlannedLead,
  PlannedMailbox,
  PlannedSend,
  SendHistory,
  SendPlan,
  WaitingLead,
  WaitReason,
} from './planned.ts'
import type { PlannedLane } from './planned-lane.ts'
import { whyWaiting } from './waiting.ts'
import type { OpenInterval } from './windows.ts'

export { gapAfter, mailboxLimit, variantOf } from './pace.ts'
export type * from './planned.ts'

/**
 * Who gets which step and variant from which mailbox at which instant of the window that is open
 * now, and why everybody else does not. Pure, and the same whatever order leads and mailboxes come
 * in. Each lead is in it once.
 *
 * A mailbox sends the follow-ups of its own threads in the order they became due, then first mails;
 * a mail in the future is what would be sent then if nothing changed.
 */
export function planSends(
  now: Date,
  campaign: PlannedCampaign,
  mailboxes: PlannedMailbox[],
  leads: PlannedLead[],
  history: SendHistory,
): SendPlan {
  const nowMs = now.getTime()
  const budget = budgetOf(campaign, history, nowMs)
  const lanes = new Map(
    lanesOf(mailboxes, history, nowMs).map((lane) => [lane.mailbox.id, lane] as const),
  )
  const interval = budget.windows.intervalAt(nowMs)
  const halted = haltOf(lanes.size, interval)
  const waiting: WaitingLead[] = []
  const candidates: Candidate[] = []
  for (const lead of leads) {
    const candidate = candidateOf(campaign, budget.calendar, lead, nowMs)
    const reason =
      typeof candidate === 'string' ? candidate : (halted ?? orphaned(candidate, lanes))
    if (reason) waiting.push({ lead_id: lead.id, reason, until: null })
    else candidates.push(candidate as Candidate)
  }

  const work = new LeadWork(campaign, candidates)
  const isOpen = interval !== null && interval.openMs <= nowMs
  if (isOpen) allocate(budget, [...lanes.values()], work, interval.closeMs)
  const untilMs = (isOpen ? interval.closeMs : interval?.openMs) ?? nowMs
  const allocated = { budget, lanes, isOpen, untilMs }
  for (const candidate of work.left()) waiting.push(whyWaiting(candidate, allocated))
  return { sends: work.sends, waiting, next: earliest(work.sends, waiting, nowMs) }
}

/** What keeps the whole campaign from sending. */
function haltOf(lanes: number, interval: OpenInterval | null): WaitReason | undefined {
  if (lanes === 0) return 'mailboxes_unhealthy'
  return interval ? undefined : 'schedule_ended'
}

const orphaned = (
  { lead, isNew }: Candidate,
  lanes: Map<string, PlannedLane>,
): WaitReason | undefined =>
  isNew || lanes.has(lead.mailbox_id ?? '') ? undefined : 'mailbox_unavailable'

function earliest(sends: PlannedSend[], waiting: WaitingLead[], nowMs: number): Date | null {
  let firstMs = Number.POSITIVE_INFINITY
  const consider = (time: Date | null) => {
    const ms = time?.getTime() ?? nowMs
    if (ms > nowMs && ms < firstMs) firstMs = ms
  }
  for (const { at } of sends) consider(at)
  for (const { until } of waiting) consider(until)
  return firstMs === Number.POSITIVE_INFINITY ? null : new Date(firstMs)
}
