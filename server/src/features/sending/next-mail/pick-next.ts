import { ZoneCalendar } from '../../../kernel/calendar.ts'
import {
  mailboxLimit,
  type PlannedLead,
  type PlannedSend,
  planSends,
  type SendPlan,
  type WaitReason,
} from '../planning/plan.ts'
import { type Backlog, claimsMax, type ReadyLane } from './backlog.ts'
import type { DueLead } from './backlog-queries.ts'
import type { CachedCampaign } from './campaign-cache.ts'
import type { LeadPrefetch } from './lead-prefetch.ts'

/** What a lane is to do, before anything of it is claimed. */
export interface Picked {
  campaign: CachedCampaign | null
  sends: PlannedSend[]
  /** Leads that are never sent what is due, and why. */
  skips: { campaign: CachedCampaign; leadId: string; reason: SkippedReason }[]
  /** When it is worth planning again, as far as what is due tells. */
  next: Date | null
  /** Campaigns of which something may fall due before that. */
  undecided: CachedCampaign[]
  /** Somebody may be due whom the prefetch had no room for. */
  isCut: boolean
}

/**
 * What reads a mailbox wakes it once follow-ups may leave. A reading from before the start of this process,
 * by a clock that was set back since, wakes it too early: it looks again in the end.
 */
const lookForReadingMs = 15 * 60_000
/** Nobody tells when a lead that is free is no longer busy here. */
const lookForBusyMs = 1_000
/** Nor when leads whose step was made to wait longer are written down so: until then they are read as due. */
const lookForFollowedMs = 10_000

/**
 * The first campaign, in turn, that has something for this mailbox to send now. A lane sends for one
 * campaign at a time.
 */
export function pickNext(ready: ReadyLane, backlog: Backlog, prefetch: LeadPrefetch): Picked {
  const picked: Picked = {
    campaign: null,
    sends: [],
    skips: [],
    next: null,
    undecided: [],
    isCut: false,
  }
  const mailboxDay = backlog.sentByMailbox(ready)
  const fullUntil = endOfFullDay(ready, mailboxDay.sent, backlog.now)
  for (const campaign of inTurn(ready)) {
    const most = claimsMax(campaign, ready)
    const followUps = backlog.followUps(ready, campaign)
    const isUnread = followUps.leads.length > 0 && !ready.row.is_read
    const offered = prefetch.offer(campaign.id, most)
    if (offered.length === 0 && !prefetch.isAtEnd(campaign.id)) picked.isCut = true
    const candidates = [...(isUnread ? [] : followUps.leads), ...offered]
    const campaignDay = backlog.campaignDay(campaign)
    const plan = planSends(
      backlog.now,
      campaign.planned,
      [ready.mailbox],
      candidates.map(plannedLead),
      { campaignDay, mailboxDays: new Map([[ready.lane.mailboxId, mailboxDay]]) },
    )
    const now = plan.sends.filter(({ at }) => at <= backlog.now).slice(0, most)
    if (now.length > 0) {
      campaignDay.sent += now.length
      campaignDay.new_leads += now.filter(({ isNew }) => isNew).length
      return { ...picked, campaign, sends: now }
    }
    for (const { lead_id, reason } of plan.waiting) {
      if (isSkipped(reason)) picked.skips.push({ campaign, leadId: lead_id, reason })
    }
    picked.next = earliestOf(picked.next, plan.next)
    if (isUnread) {
      picked.next = earliestOf(picked.next, new Date(backlog.now.getTime() + lookForReadingMs))
    }
    if (prefetch.hidesFree(campaign.id)) {
      picked.next = earliestOf(picked.next, new Date(backlog.now.getTime() + lookForBusyMs))
    }
    const isHalted =
      fullUntil !== null || isDayOver(campaign, campaignDay.sent, plan) || isClosed(plan)
    if (isHalted) continue
    picked.undecided.push(campaign)
    if (followUps.isCut && waitsLonger(plan)) {
      picked.next = earliestOf(picked.next, new Date(backlog.now.getTime() + lookForFollowedMs))
    }
  }
  return { ...picked, next: earliestOf(picked.next, fullUntil) }
}

export const earliestOf = (a: Date | null, b: Date | null) => (a && b ? (a < b ? a : b) : (a ?? b))

/** When a mailbox that has sent all of its day may send again; null: it has not. */
function endOfFullDay({ row, mailbox, day }: ReadyLane, sent: number, now: Date): Date | null {
  if (sent < mailboxLimit(mailbox, day)) return null
  return new Date(new ZoneCalendar(row.timezone ?? 'UTC').dayAt(now.getTime()).endMs)
}

/**
 * Whether a campaign's day is full, so that nobody who falls due before the next one gets anything. Where
 * the window stays open, due leads do not wait, but are planned for the next day.
 */
const isDayOver = ({ planned }: CachedCampaign, sent: number, { sends, waiting }: SendPlan) =>
  planned.daily_limit !== null &&
  sent >= planned.daily_limit &&
  (sends.length > 0 || waiting.some(({ reason }) => reason === 'campaign_daily_limit'))

/**
 * Whether the campaign's window is closed, and due leads wait for the next one. Any other reason to wait is
 * one lead's own: who falls due before that may still get a mail.
 */
const isClosed = ({ waiting }: SendPlan) =>
  waiting.some(({ reason }) => reason === 'outside_schedule')

/** Whether a follow-up that was read as due is not: where the mailbox is free, it would leave now. */
const waitsLonger = ({ sends, waiting }: SendPlan) =>
  sends.some(({ isNew }) => !isNew) ||
  waiting.some(({ reason }) => reason === 'waiting_for_step_delay')

/** `no_step_left`: the steps that it had not been sent yet were removed. */
const skippedReasons = ['expired', 'suppressed', 'no_step_left'] as const
type SkippedReason = (typeof skippedReasons)[number]
const isSkipped = (reason: WaitReason): reason is SkippedReason =>
  skippedReasons.some((each) => each === reason)

function inTurn({ lane, row, campaigns }: ReadyLane): CachedCampaign[] {
  const last = lane.lastCampaignId ?? row.last_campaign_id ?? ''
  const first = campaigns.findIndex(({ id }) => id > last)
  return first <= 0 ? campaigns : [...campaigns.slice(first), ...campaigns.slice(0, first)]
}

const plannedLead = (lead: DueLead): PlannedLead => ({
  id: lead.id,
  mailbox_id: lead.mailbox_id,
  sent_step_ids: lead.sent_step_ids,
  current_step: lead.current_step,
  last_sent_at: lead.timestamp_last_contact,
  timestamp_created: lead.timestamp_created,
  not_before: lead.timestamp_next_send,
  suppressed: lead.suppressed,
})
