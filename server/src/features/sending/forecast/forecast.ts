import { allocate, budgetOf, lanesOf } from '../planning/allocate.ts'
import type { PlannedCampaign, PlannedMailbox, SendHistory } from '../planning/planned.ts'
import { type Cohort, ForecastBacklog, type HeldLeadReason } from './forecast-backlog.ts'
import { type ForecastDay, ForecastDays } from './forecast-days.ts'

export interface Forecast {
  /** Every day from today to that of the last mail, in the zone of the first schedule. */
  days: ForecastDay[]
  sends: number
  /** Leads that get at least one mail, however many days it takes. */
  recipients: number
  /** Null when nothing would be sent. */
  last_send_at: Date | null
  ends: 'all_sent' | 'schedule_ended' | 'days_max'
  /** Mails that would not be sent before it ends. */
  unsent: number
  /** Leads that get nothing more until something changes, and what it is. */
  held: { reason: HeldLeadReason; leads: number }[]
}

/**
 * What would be sent when, if nobody replied, bounced or unsubscribed: the rules of `planSends`
 * under a clock that runs through the days. It goes through leads as cohorts, so a million of them
 * cost no more than the mails that are sent.
 *
 * Whether the campaign is active and its plan allows it is not looked at: this is what it would do.
 *
 * @param daysMax how many days to look at
 */
export function forecast(
  now: Date,
  campaign: PlannedCampaign,
  mailboxes: PlannedMailbox[],
  cohorts: Cohort[],
  history: SendHistory,
  daysMax: number,
): Forecast {
  const nowMs = now.getTime()
  const budget = budgetOf(campaign, history, nowMs)
  const lanes = lanesOf(mailboxes, history, nowMs)
  const days = new ForecastDays(budget, lanes, nowMs)
  const work = new ForecastBacklog(campaign, budget, lanes, cohorts, days)
  const untilMs = budget.calendar.addDays(budget.calendar.dayAt(nowMs).startMs, daysMax)
  allocate(budget, lanes, work, untilMs)
  const unsent = work.mailsLeft()
  const isOver = budget.windows.intervalAt(untilMs) === null
  const ends = unsent === 0 ? 'all_sent' : isOver ? 'schedule_ended' : 'days_max'
  return {
    days: days.finish(work, unsent === 0),
    sends: days.sends,
    recipients: work.recipients({ isCutOff: ends === 'days_max' }),
    last_send_at: days.lastSendMs === null ? null : new Date(days.lastSendMs),
    ends,
    unsent,
    held: [...work.held].map(([reason, leads]) => ({ reason, leads })),
  }
}
