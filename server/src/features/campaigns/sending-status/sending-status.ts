import { dayOf } from '../../../kernel/calendar.ts'
import { windowState } from '../schedule/schedule.ts'
import type { CampaignSchedule } from '../schedule/schedule-schema.ts'
import type { Campaign, CampaignStatus, WaitingReason } from '../schema.ts'
import { zoneOf } from '../sequence/step-timing.ts'
import type { MailboxFacts, StoredFacts } from './sending-facts.ts'

/** What decides whether a campaign sends just now. */
export interface SendingFacts {
  status: CampaignStatus
  status_reason: string | null
  campaign_schedule: CampaignSchedule
  daily_limit: number | null
  daily_max_leads: number | null
  /** Leads that are neither finished nor stopped. */
  leadsActive: number
  /** Of these, those whose mailbox does not send for the campaign. */
  leads_waiting: number
  /** Likewise, those whose mail could not be made or was refused, and what the first of them lacks. */
  leads_held_back: number
  held_back_for: string | null
  /** Null unless the campaign is active. */
  sending_facts: StoredFacts | null
}

type SendingStatus = Omit<Campaign['sending_status'], 'next_send_at'>

/** What a person has to mend comes before what passes by itself. */
export function sendingStatus(facts: SendingFacts, now: Date): SendingStatus {
  const reason = waitingReason(facts, now)
  const state = reason === null ? 'sending' : 'waiting'
  const { leads_waiting, leads_held_back, held_back_for } = facts
  return { state, reason, leads_waiting_for_mailbox: leads_waiting, leads_held_back, held_back_for }
}

function waitingReason(facts: SendingFacts, now: Date): WaitingReason | null {
  const { status, status_reason, sending_facts: stored } = facts
  if (status === 'paused' && status_reason === 'bounce_protection') return 'bounce_protection'
  if (status !== 'active') return status
  if (!stored?.plan_api) return 'plan_required'
  if (stored.held) return 'restore_unconfirmed'
  if (stored.is_moving) return 'workspace_moving'
  if (!stored.mailboxes) return 'no_mailbox'
  if (!stored.mailboxes.some(({ connected }) => connected)) return 'mailboxes_unhealthy'
  const { open, nextOpen } = windowState(facts.campaign_schedule, now)
  if (nextOpen === null) return 'schedule_ended'
  if (facts.leadsActive === 0) return 'no_leads'
  const nobodyIsDue = whyNobodyIsDue(facts, stored.mailboxes, stored)
  if (nobodyIsDue) return nobodyIsDue
  return open ? obstacle(facts, stored.mailboxes, stored, now) : 'outside_schedule'
}

/** Leads that are left wait for a mailbox, are held back or paused, or a person's to mend, whatever time it is. */
function whyNobodyIsDue(
  { leads_waiting, leads_held_back, daily_max_leads }: SendingFacts,
  mailboxes: MailboxFacts[],
  { new_next, has_paused }: StoredFacts,
): WaitingReason | undefined {
  const mayBeDue = new_next !== null && daily_max_leads !== 0
  if (mayBeDue || mailboxes.some(({ next }) => next !== null)) return undefined
  if (leads_waiting > 0) return 'waiting_for_mailbox'
  if (new_next !== null) return 'no_new_leads'
  if (leads_held_back > 0) return 'leads_held_back'
  return has_paused ? 'paused' : 'no_leads'
}

/** What in an open window keeps every lead that is due from getting its mail. */
function obstacle(
  facts: SendingFacts,
  mailboxes: MailboxFacts[],
  { new_next: new_due, days }: StoredFacts,
  now: Date,
): WaitingReason | null {
  const isDue = (next: string | null) => next !== null && new Date(next) <= now
  // Where no new leads are to be written to, those that wait are never due.
  const new_next = facts.daily_max_leads === 0 ? null : new_due
  const nexts = [new_next, ...mailboxes.map(({ next }) => next)]
  if (!nexts.some(isDue)) return 'waiting_for_step_delay'

  const { sent, new_leads } = sentToday(facts, days, now)
  if (sent >= (facts.daily_limit ?? Number.POSITIVE_INFINITY)) return 'campaign_daily_limit'
  const isNewBlocked = new_leads >= (facts.daily_max_leads ?? Number.POSITIVE_INFINITY)
  const hasNew = isDue(new_next) && !isNewBlocked

  const useful = mailboxes.filter(
    ({ connected, is_read, next }) => connected && (hasNew || (is_read && isDue(next))),
  )
  if (useful.some((mailbox) => !isFull(mailbox, now))) return null
  if (useful.length > 0) return 'mailbox_daily_limits'
  return isDue(new_next) ? 'campaign_daily_limit' : 'mailboxes_unhealthy'
}

export function sentToday(
  { campaign_schedule }: Pick<SendingFacts, 'campaign_schedule'>,
  days: StoredFacts['days'],
  now: Date,
) {
  const today = dayOf(zoneOf(campaign_schedule), now)
  return days?.find(({ day }) => day === today) ?? { sent: 0, new_leads: 0 }
}

/** Whether the mailbox has sent all that it may on this day of its own zone. */
export const isFull = (
  { full_days, timezone }: Pick<MailboxFacts, 'full_days' | 'timezone'>,
  now: Date,
) => full_days.includes(dayOf(timezone ?? 'UTC', now))
