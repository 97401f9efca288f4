import { dayOf, parseDay, zoned } from '../../../kernel/calendar.ts'
import { dayMs } from '../../../kernel/durations.ts'
import type { ErrorDetail } from '../../../kernel/errors.ts'
import { canonicalZone } from '../../../kernel/time-zone.ts'
import type { CampaignSchedule } from './schedule-schema.ts'

export interface WindowState {
  open: boolean
  /** No day of the schedule is left, in any of its zones. */
  over: boolean
  /** The first instant from `now` on at which it is open: `now` itself when it is. */
  nextOpen: Date | null
}

/** What a JSON Schema cannot say of a schedule. Paths are relative to the schedule. */
export function problemsWithSchedule(schedule: CampaignSchedule): ErrorDetail[] {
  const { start_date, end_date } = schedule
  const problems: ErrorDetail[] = []
  for (const field of ['start_date', 'end_date'] as const) {
    if (schedule[field] === null || parseDay(schedule[field])) continue
    problems.push({ path: `/${field}`, message: `${field} must be a calendar date YYYY-MM-DD` })
  }
  if (problems.length === 0 && start_date !== null && end_date !== null && start_date > end_date) {
    problems.push({ path: '/end_date', message: 'end_date must not be before start_date' })
  }
  return problems.concat(
    schedule.schedules.flatMap((weekly, index) =>
      checkWeekly(weekly).map(({ path, message }) => ({
        path: `/schedules/${index}${path}`,
        message,
      })),
    ),
  )
}

/** Whether the last day has passed in every schedule's own zone. */
export function isOver(schedule: CampaignSchedule, now: Date): boolean {
  const { end_date, schedules } = schedule
  if (end_date === null) return false
  return schedules.every(({ timezone }) => dayOf(timezone, now) > end_date)
}

/**
 * A window is judged by the wall clock, instant by instant. So one that starts in a gap (clocks
 * go forward) opens at the first instant after it, and in a fold (clocks go back) it is open in
 * both passes.
 */
export function windowState(schedule: CampaignSchedule, now: Date): WindowState {
  const openings = schedule.schedules
    .map((weekly) => findOpening(schedule, weekly, zoned(weekly.timezone, now.getTime())))
    .filter((opening) => opening !== undefined)
    .map((opening) => opening.epochMilliseconds)
  const over = isOver(schedule, now)
  if (openings.length === 0) return { open: false, over, nextOpen: null }
  const nextOpen = new Date(Math.min(...openings))
  return { open: nextOpen.getTime() === now.getTime(), over, nextOpen }
}

/**
 * When a window that is open at `now` closes. One that stays open for days is cut at a midnight,
 * where the next stretch of it begins.
 */
export function closesAt(schedule: CampaignSchedule, now: Date): Date {
  let closing = now
  // Another schedule may open before the first closes.
  for (
    let known: Date | undefined;
    closing !== known && closing.getTime() < now.getTime() + dayMs;
  ) {
    known = closing
    for (const weekly of schedule.schedules) {
      const time = zoned(weekly.timezone, closing.getTime())
      if (isOpenAt(schedule, weekly, time)) closing = findClosing(schedule, weekly, time)
    }
  }
  return closing
}

type WeeklySchedule = CampaignSchedule['schedules'][number]

const timePattern = /^(?:[01]\d|2[0-3]):[0-5]\d$/
/** Temporal counts Sunday as 7, a schedule as 0. */
const weekdays = ['0', '1', '2', '3', '4', '5', '6'] as const

function checkWeekly({ timing, days, timezone }: WeeklySchedule): ErrorDetail[] {
  const { from, to } = timing
  const problems: ErrorDetail[] = []
  const refuse = (path: string, message: string) => problems.push({ path, message })
  if (!timePattern.test(from)) refuse('/timing/from', 'from must be HH:MM, 00:00 to 23:59')
  if (!timePattern.test(to) && to !== '24:00') {
    refuse('/timing/to', 'to must be HH:MM, 00:01 to 24:00')
  }
  if (problems.length === 0 && from >= to) refuse('/timing/to', 'to must be later than from')
  if (!weekdays.some((day) => days[day])) {
    refuse('/days', 'days must have at least one day, "0" (Sunday) to "6", that is true')
  }
  if (canonicalZone(timezone) === undefined) {
    refuse('/timezone', 'timezone must be an IANA time zone such as Europe/Berlin')
  }
  return problems
}

type Dates = Pick<CampaignSchedule, 'start_date' | 'end_date'>

function isOpenAt(dates: Dates, weekly: WeeklySchedule, time: Temporal.ZonedDateTime) {
  if (!isDayOf(dates, weekly, time.toPlainDate())) return false
  const { from, to } = weekly.timing
  const clock = time.toPlainTime().toString({ smallestUnit: 'minute' })
  return from <= clock && clock < to
}

function isDayOf(dates: Dates, { days }: WeeklySchedule, date: Temporal.PlainDate): boolean {
  const weekday = weekdays[date.dayOfWeek % 7] ?? '0'
  if (!days[weekday]) return false
  const day = date.toString()
  return (
    (dates.start_date === null || dates.start_date <= day) &&
    (dates.end_date === null || day <= dates.end_date)
  )
}

// A gap can swallow a weekly window, so one week is not enough.
const daysMax = 16

function findOpening(dates: Dates, weekly: WeeklySchedule, now: Temporal.ZonedDateTime) {
  if (isOpenAt(dates, weekly, now)) return now
  // A clock that is put back after midnight repeats an evening.
  let date = now.toPlainDate().subtract({ days: 1 })
  if (dates.start_date !== null && date.toString() < dates.start_date) {
    date = Temporal.PlainDate.from(dates.start_date)
  }
  for (let days = 0; days < daysMax; days++, date = date.add({ days: 1 })) {
    if (dates.end_date !== null && date.toString() > dates.end_date) return
    if (!isDayOf(dates, weekly, date)) continue
    const opening = clockEvents(date, weekly.timing.from, weekly.timezone)
      .filter((time) => Temporal.ZonedDateTime.compare(time, now) > 0)
      .sort(Temporal.ZonedDateTime.compare)
      .find((time) => isOpenAt(dates, weekly, time))
    if (opening) return opening
  }
  return
}

/** Of a window that is open: the first instant at which it is not, at the latest a midnight. */
function findClosing(dates: Dates, weekly: WeeklySchedule, open: Temporal.ZonedDateTime): Date {
  const { timing, timezone } = weekly
  const date = open.toPlainDate()
  const midnight = date.add({ days: 1 }).toZonedDateTime(timezone)
  const closing = clockEvents(date, timing.to, timezone)
    .filter((time) => Temporal.ZonedDateTime.compare(time, open) > 0)
    .sort(Temporal.ZonedDateTime.compare)
    .find((time) => !isOpenAt(dates, weekly, time))
  return new Date((closing ?? midnight).epochMilliseconds)
}

/**
 * All instants of a day at which a window can open or close: the time of its clock, once or twice,
 * and clock changes. Those alone for 24:00, which is another day's.
 */
function clockEvents(date: Temporal.PlainDate, clock: string, timezone: string) {
  const times = clock === '24:00' ? [] : [date.toPlainDateTime(clock)]
  const events = times.flatMap((time) => [
    time.toZonedDateTime(timezone, { disambiguation: 'earlier' }),
    time.toZonedDateTime(timezone, { disambiguation: 'later' }),
  ])
  // Of the day before, because a gap at midnight is where this day starts.
  let change = date.toZonedDateTime(timezone).subtract({ hours: 1 }).getTimeZoneTransition('next')
  while (change && Temporal.PlainDate.compare(change.toPlainDate(), date) <= 0) {
    events.push(change)
    change = change.getTimeZoneTransition('next')
  }
  return events
}
