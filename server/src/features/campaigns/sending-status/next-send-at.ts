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
  const { open } = windowState(campaign.campaign_schedule, now)
  // What is due in an open window waits for a mailbox that was not read.
  const due = dueTimes(campaign, facts, now).filter((ms) => !open || ms > now.getTime())
  if (due.length === 0) return null
  return windowState(campaign.campaign_schedule, new Date(Math.min(...due))).nextOpen
}

const passing = new Set<WaitingReason>([
  'outside_schedule',
  'waiting_for_step_delay',
  'campaign_daily_limit',
  'mailbox_daily_limits',
])

/**
 * Of what each mailbox is to send: when no delay and no limit of a day keeps it back any more. What
 * limits today is looked at whatever the campaign waits for: it may still hold when that is over.
 */
function dueTimes(campaign: Limits, { days, mailboxes, new_next }: StoredFacts, now: Date) {
  const { sent, new_leads } = sentToday(campaign, days, now)
  const { daily_limit, daily_max_leads } = campaign
  const zone = zoneOf(campaign.campaign_schedule)
  const firstMs = fromDayMs(sent >= (daily_limit ?? Number.POSITIVE_INFINITY), zone, now)
  const isNewBlocked = new_leads >= (daily_max_leads ?? Number.POSITIVE_INFINITY)
  const firstNewMs = fromDayMs(isNewBlocked, zone, now)
  // Where no new leads are to be written to, no day is theirs.
  const newMs = daily_max_leads === 0 || new_next === null ? [] : [Date.parse(new_next)]
  return (mailboxes ?? [])
    .filter(({ connected }) => connected)
    .flatMap((mailbox) => {
      // A mailbox counts the days of its own zone.
      const ownMs = fromDayMs(isFull(mailbox, now), mailbox.timezone ?? 'UTC', now)
      const followUpMs = mailbox.next === null ? [] : [Date.parse(mailbox.next)]
      return [...followUpMs, ...newMs.map((ms) => Math.max(ms, firstNewMs))].map((ms) =>
        Math.max(ms, ownMs, firstMs),
      )
    })
}

/** From when on a day has room: now, or when the next one begins. */
const fromDayMs = (isFullToday: boolean, zone: string, now: Date): number =>
  isFullToday
    ? Temporal.PlainDate.from(dayOf(zone, now)).add({ days: 1 }).toZonedDateTime(zone)
        .epochMilliseconds
    : now.getTime()
