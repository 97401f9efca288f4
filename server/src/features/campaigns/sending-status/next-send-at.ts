import { dayOf } from '../../../kernel/calendar.ts'
import { windowState } from '../schedule/schedule.ts'
import type { WaitingReason } from '../schema.ts'
import { zoneOf } from '../sequence/step-timing.ts'
import type { StoredFacts } from './sending-facts.ts'
import { isFull, type SendingFacts, sentToday } from './sending-status.ts'

type Limits = Pick<SendingFacts, 'campaign_schedule' | 'daily_limit' | 'daily_max_leads'>

/** When what it waits for is over by itself: a delay, the schedule, the limits of a day. */
export function nextSendAt(
  campaign: Limits,
  facts: StoredFacts | null,
  reason: WaitingReason | null,
  now: Date,
): Date | null {
  if (!facts || !reason || !passing.has(reason)) return null
  const due = dueTimes(campaign, facts, reason, now)
  if (due.length === 0) return null
  return windowState(campaign.campaign_schedule, new Date(Math.min(...due))).nextOpen
}

const passing = new Set<WaitingReason>([
  'outside_schedule',
  'waiting_for_step_delay',
  'campaign_daily_limit',
  'mailbox_daily_limits',
])

/** Of everything that is to come: when no delay and no limit of a day keeps it back any more. */
function dueTimes(campaign: Limits, facts: StoredFacts, reason: WaitingReason, now: Date) {
  // Where no new leads are to be written to, no day is theirs.
  const new_next = campaign.daily_max_leads === 0 ? null : facts.new_next
  const followUps = (facts.mailboxes ?? []).map(({ next }) => next)
  const all = [new_next, ...followUps]
  if (reason === 'mailbox_daily_limits') return after(firstDayEndMs(facts, now), all)
  if (reason !== 'campaign_daily_limit') return after(now.getTime(), all)
  const tomorrowMs = nextDayMs(zoneOf(campaign.campaign_schedule), now)
  if (isAllBlocked(campaign, facts, now)) return after(tomorrowMs, all)
  // What is due already waits for a mailbox that does not send.
  return [...after(tomorrowMs, [new_next]), ...later(followUps, now)]
}

/** Else it is the limit of new leads, which keeps no follow-up back. */
const isAllBlocked = (campaign: Limits, { days }: StoredFacts, now: Date) =>
  sentToday(campaign, days, now).sent >= (campaign.daily_limit ?? Number.POSITIVE_INFINITY)

/** A mailbox counts the days of its own zone. */
function firstDayEndMs({ mailboxes }: StoredFacts, now: Date): number {
  const full = (mailboxes ?? []).filter((each) => each.connected && isFull(each, now))
  return Math.min(...full.map(({ timezone }) => nextDayMs(timezone ?? 'UTC', now)))
}

type Nexts = (string | null)[]

const timesOf = (nexts: Nexts) => nexts.flatMap((next) => (next === null ? [] : [Date.parse(next)]))

const after = (ms: number, nexts: Nexts) => timesOf(nexts).map((next) => Math.max(ms, next))

const later = (nexts: Nexts, now: Date) => timesOf(nexts).filter((next) => next > now.getTime())

const nextDayMs = (zone: string, now: Date): number =>
  Temporal.PlainDate.from(dayOf(zone, now)).add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds
