import type { BookedCampaign } from './campaign-book.ts'
import type { LeadPool } from './lead-pool.ts'
import { type PlannedLead, type PlannedSend, planSends, type WaitReason } from './planning/plan.ts'
import { claimsMax, type ReadyLane, type Work } from './work.ts'
import type { Candidate } from './work-queries.ts'

/** What a lane is to do, before anything of it is claimed. */
export interface Choice {
  campaign: BookedCampaign | null
  sends: PlannedSend[]
  /** Leads that are never sent what is due, and why. */
  skips: { campaign: BookedCampaign; leadId: string; reason: SkippedReason }[]
  /** When it is worth planning again, as far as what is due tells. */
  next: Date | null
  /** Campaigns of which something may fall due before that. */
  undecided: BookedCampaign[]
}

/** The reader wakes the mailbox once it was read; this finds what was read and did not. */
const lookForReadingMs = 30_000

/**
 * The first campaign, in turn, that has something for this mailbox to send now. A lane sends for one
 * campaign at a time.
 */
export function chooseSends(ready: ReadyLane, work: Work, pool: LeadPool): Choice {
  const choice: Choice = { campaign: null, sends: [], skips: [], next: null, undecided: [] }
  for (const campaign of inTurn(ready)) {
    const most = claimsMax(campaign, ready)
    const followUps = work.followUps(ready, campaign)
    const isUnread = followUps.length > 0 && !ready.row.is_read
    const candidates = [...(isUnread ? [] : followUps), ...pool.offer(campaign.id, most)]
    const campaignDay = work.campaignDay(campaign)
    const plan = planSends(
      work.now,
      { ...campaign.planned, status: 'active', planAllows: true },
      [ready.mailbox],
      candidates.map(plannedLead),
      { campaignDay, mailboxDays: new Map([[ready.lane.mailboxId, work.sentByMailbox(ready)]]) },
    )
    const now = plan.sends.filter(({ at }) => at <= work.now).slice(0, most)
    if (now.length > 0) {
      campaignDay.sent += now.length
      campaignDay.new_leads += now.filter(({ isNew }) => isNew).length
      return { ...choice, campaign, sends: now }
    }
    for (const { lead_id, reason } of plan.waiting) {
      if (isSkipped(reason)) choice.skips.push({ campaign, leadId: lead_id, reason })
    }
    choice.next = earlier(choice.next, plan.next)
    if (isUnread) {
      choice.next = earlier(choice.next, new Date(work.now.getTime() + lookForReadingMs))
    }
    const isHalted = plan.waiting.some(({ reason }) => halts.has(reason))
    if (!isHalted) choice.undecided.push(campaign)
  }
  return choice
}

export const earlier = (a: Date | null, b: Date | null) => (a && b ? (a < b ? a : b) : (a ?? b))

/** What keeps every lead of the campaign from this mailbox, whenever it falls due. */
const halts = new Set<WaitReason>([
  'outside_schedule',
  'schedule_ended',
  'campaign_daily_limit',
  'mailbox_daily_limits',
])

/** `no_step_left`: the steps that it had not been sent yet were removed. */
const skippedReasons = ['expired', 'suppressed', 'no_step_left'] as const
type SkippedReason = (typeof skippedReasons)[number]
const isSkipped = (reason: WaitReason): reason is SkippedReason =>
  skippedReasons.some((each) => each === reason)

function inTurn({ lane, row, campaigns }: ReadyLane): BookedCampaign[] {
  const last = lane.lastCampaignId ?? row.last_campaign_id ?? ''
  const first = campaigns.findIndex(({ id }) => id > last)
  return first <= 0 ? campaigns : [...campaigns.slice(first), ...campaigns.slice(0, first)]
}

const plannedLead = (candidate: Candidate): PlannedLead => ({
  id: candidate.id,
  sending_state: candidate.sending_state,
  mailbox_id: candidate.mailbox_id,
  sent_step_ids: candidate.sent_step_ids,
  current_step: candidate.current_step,
  last_sent_at: candidate.timestamp_last_contact,
  timestamp_created: candidate.timestamp_created,
  not_before: candidate.timestamp_next_send,
  suppressed: candidate.suppressed,
})
