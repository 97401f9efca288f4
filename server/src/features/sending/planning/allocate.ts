import { ZoneCalendar } from '../../../kernel/calendar.ts'
import { LaneQueue } from './lane-queue.ts'
import { mailboxLimit } from './pace.ts'
import type { PlannedCampaign, PlannedMailbox, SendHistory } from './planned.ts'
import type { PlannedLane } from './planned-lane.ts'
import { sendingWindowsOf, type Windows } from './windows.ts'

/** What of a campaign the lanes share. */
export interface Budget {
  readonly windows: Windows
  readonly calendar: ZoneCalendar
  readonly limit: number
  readonly newLeadsMax: number
  readonly newFirst: boolean
  date: string
  dayEndMs: number
  sent: number
  newLeads: number
}

export type Block =
  | 'outside_schedule'
  | 'campaign_daily_limit'
  | 'mailbox_daily_limits'
  | 'new_lead_limit'

/** What there is to send, however it is kept. */
export interface Work {
  /** When the first follow-up in the mailbox's own threads is due; Infinity: there is none. */
  followUpDueMs(lane: PlannedLane): number
  newDueMs(): number
  /**
   * Takes the first of its kind, to be sent while its window and the days that it is counted on last.
   *
   * @returns how long the mailbox then waits
   */
  send(lane: PlannedLane, isNew: boolean, atMs: number, untilMs: number): number
  /** The lane is free but must not send. */
  blocked?(lane: PlannedLane, by: Block, atMs: number): void
}

/**
 * Goes through time, from one instant at which a mailbox is free to the next, and gives each what
 * comes first: the one set of rules behind what is sent and what is forecast.
 */
export function allocate(budget: Budget, lanes: PlannedLane[], work: Work, untilMs: number) {
  const queue = new LaneQueue()
  for (const lane of lanes) queue.push(lane)
  for (let lane = queue.pop(); lane && lane.wakeMs < untilMs; lane = queue.pop()) {
    lane.wakeMs = visit(budget, lane, work)
    queue.push(lane)
  }
}

/** @returns when to look at the lane again */
function visit(budget: Budget, lane: PlannedLane, work: Work): number {
  const at = lane.wakeMs
  startBudgetDay(budget, at)
  startLaneDay(lane, at)
  const interval = budget.windows.intervalAt(at)
  if (!interval || at < interval.openMs) {
    work.blocked?.(lane, 'outside_schedule', at)
    return interval?.openMs ?? Number.POSITIVE_INFINITY
  }
  if (budget.sent >= budget.limit) {
    work.blocked?.(lane, 'campaign_daily_limit', at)
    return budget.dayEndMs
  }
  if (lane.sent >= lane.limit) {
    work.blocked?.(lane, 'mailbox_daily_limits', at)
    return lane.dayEndMs
  }
  const followUpMs = work.followUpDueMs(lane)
  const newMs = firstNewMs(budget, lane, work)
  const first = Math.min(followUpMs, newMs)
  if (first > at) return first
  const isNew = newMs <= at && (followUpMs > at || budget.newFirst)
  lane.sent++
  budget.sent++
  if (isNew) budget.newLeads++
  const untilMs = Math.min(interval.closeMs, budget.dayEndMs, lane.dayEndMs)
  return at + work.send(lane, isNew, at, untilMs)
}

/** When this day's budget, or the next one's, allows another first mail. */
function firstNewMs(budget: Budget, lane: PlannedLane, work: Work): number {
  const dueMs = work.newDueMs()
  if (budget.newLeads < budget.newLeadsMax) return dueMs
  if (dueMs <= lane.wakeMs) work.blocked?.(lane, 'new_lead_limit', lane.wakeMs)
  return Math.max(dueMs, budget.dayEndMs)
}

function startBudgetDay(budget: Budget, ms: number) {
  if (ms < budget.dayEndMs) return
  const { date, endMs } = budget.calendar.dayAt(ms)
  budget.dayEndMs = endMs
  if (budget.date === date) return
  budget.date = date
  budget.sent = 0
  budget.newLeads = 0
}

function startLaneDay(lane: PlannedLane, ms: number) {
  if (ms < lane.dayEndMs) return
  const { date, endMs } = lane.calendar.dayAt(ms)
  lane.dayEndMs = endMs
  if (lane.date === date) return
  lane.date = date
  lane.limit = mailboxLimit(lane.mailbox, date)
  lane.sent = 0
}

export function budgetOf(campaign: PlannedCampaign, { campaignDay }: SendHistory, nowMs: number) {
  const windows = sendingWindowsOf(campaign.schedule)
  const budget: Budget = {
    windows,
    calendar: windows.calendar,
    limit: campaign.daily_limit ?? Number.POSITIVE_INFINITY,
    newLeadsMax: campaign.daily_max_leads ?? Number.POSITIVE_INFINITY,
    newFirst: campaign.prioritize_new_leads,
    date: campaignDay.day,
    dayEndMs: 0,
    sent: campaignDay.sent,
    newLeads: campaignDay.new_leads,
  }
  startBudgetDay(budget, nowMs)
  return budget
}

/** The lanes of the mailboxes that can send; in id order, whatever order those come in. */
export function lanesOf(mailboxes: PlannedMailbox[], { mailboxDays }: SendHistory, nowMs: number) {
  const calendars = new Map<string, ZoneCalendar>()
  const calendarOf = (zone: string) => {
    const calendar = calendars.get(zone) ?? new ZoneCalendar(zone)
    calendars.set(zone, calendar)
    return calendar
  }
  return mailboxes
    .filter(({ status }) => status === 'connected')
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map((mailbox, rank) => {
      const { day, sent } = mailboxDays.get(mailbox.id) ?? { day: '', sent: 0 }
      const lane: PlannedLane = {
        mailbox,
        rank,
        calendar: calendarOf(mailbox.timezone ?? 'UTC'),
        wakeMs: Math.max(nowMs, mailbox.next_send_at?.getTime() ?? nowMs),
        date: day,
        dayEndMs: 0,
        limit: day ? mailboxLimit(mailbox, day) : 0,
        sent,
      }
      startLaneDay(lane, nowMs)
      return lane
    })
}
