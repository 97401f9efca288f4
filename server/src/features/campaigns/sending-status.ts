import { windowState } from './schedule.ts'
import type { CampaignSchedule } from './schedule-schema.ts'
import type { CampaignStatus, WaitingReason } from './schema.ts'

/** What decides whether a campaign sends just now. */
export interface SendingFacts {
  status: CampaignStatus
  status_reason: string | null
  campaign_schedule: CampaignSchedule
  /** Leads that are neither finished nor stopped. */
  leadsActive: number
  planAllows: boolean
  /** Whether any of the mailboxes that `email_list` names is connected; null when there is none. */
  mailboxConnected: boolean | null
}

export interface SendingStatus {
  state: 'sending' | 'waiting'
  reason: WaitingReason | null
}

/** What a person has to mend comes before what passes by itself. */
export function sendingStatus(facts: SendingFacts, now: Date): SendingStatus {
  const reason = waitingReason(facts, now)
  return { state: reason === null ? 'sending' : 'waiting', reason }
}

function waitingReason(facts: SendingFacts, now: Date): WaitingReason | null {
  if (facts.status === 'paused' && facts.status_reason === 'bounce_protection') {
    return 'bounce_protection'
  }
  if (facts.status !== 'active') return facts.status
  if (!facts.planAllows) return 'plan_required'
  if (facts.mailboxConnected === null) return 'no_mailbox'
  if (!facts.mailboxConnected) return 'mailboxes_unhealthy'
  const { open, nextOpen } = windowState(facts.campaign_schedule, now)
  if (nextOpen === null) return 'schedule_ended'
  if (facts.leadsActive === 0) return 'no_leads'
  return open ? null : 'outside_schedule'
}
