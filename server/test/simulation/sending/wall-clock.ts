import type { CampaignSchedule } from '../../../src/features/campaigns/index.ts'

// The checks' own reading of schedules and days, by the definition and not by the code under test: a
// window is open at an instant whose wall clock lies within it.

/** Clocks change, and windows open and close, at quarters of an hour only. */
const quarterMs = 900_000

const known = new Map<string, CampaignSchedule>()
const openings = new WeakMap<CampaignSchedule, Map<number, boolean>>()

/** The one object for all schedules that say the same: what was worked out for it is kept. */
export function sameSchedule(schedule: CampaignSchedule): CampaignSchedule {
  const key = JSON.stringify(schedule)
  const same = known.get(key) ?? schedule
  known.set(key, same)
  return same
}

function isOpen(schedule: CampaignSchedule, ms: number): boolean {
  const quarters = openings.get(schedule) ?? new Map<number, boolean>()
  openings.set(schedule, quarters)
  const quarter = Math.floor(ms / quarterMs)
  let open = quarters.get(quarter)
  if (open === undefined) {
    open = look(schedule, quarter * quarterMs)
    quarters.set(quarter, open)
  }
  return open
}

/** Whether it is open at any instant from one to the other. */
export function isOpenWithin(schedule: CampaignSchedule, fromMs: number, toMs: number): boolean {
  for (let ms = fromMs; ms < toMs; ms += quarterMs) if (isOpen(schedule, ms)) return true
  return isOpen(schedule, toMs)
}

/** The first instant from `ms` on at which it is open; Infinity: not within three weeks. */
export function opensAt(schedule: CampaignSchedule, ms: number): number {
  if (isOpen(schedule, ms)) return ms
  const first = Math.floor(ms / quarterMs) + 1
  for (let quarter = first; quarter < first + 21 * 96; quarter++) {
    if (isOpen(schedule, quarter * quarterMs)) return quarter * quarterMs
  }
  return Number.POSITIVE_INFINITY
}

export const dateOf = (zone: string, ms: number): string => zoned(zone, ms).toPlainDate().toString()

/** The start of the next day there. */
export const tomorrowMs = (zone: string, ms: number): number =>
  zoned(zone, ms).add({ days: 1 }).startOfDay().epochMilliseconds

/** The start of this date there. */
export const startMsOf = (zone: string, date: string): number =>
  Temporal.PlainDate.from(date).toZonedDateTime(zone).epochMilliseconds

export interface Delay {
  delay: number
  delay_unit: 'minutes' | 'hours' | 'days'
}

export const delayedMs = (zone: string, { delay, delay_unit }: Delay, ms: number): number =>
  zoned(zone, ms).add({ [delay_unit]: delay }).epochMilliseconds

function look({ start_date, end_date, schedules }: CampaignSchedule, ms: number): boolean {
  return schedules.some(({ timing, days, timezone }) => {
    const time = zoned(timezone, ms)
    const date = time.toPlainDate().toString()
    if ((start_date && date < start_date) || (end_date && date > end_date)) return false
    const clock = time.toPlainTime().toString().slice(0, 5)
    const weekday = String(time.dayOfWeek % 7) as keyof typeof days
    return days[weekday] && timing.from <= clock && clock < timing.to
  })
}

const zoned = (zone: string, ms: number) =>
  Temporal.Instant.fromEpochMilliseconds(Math.floor(ms)).toZonedDateTimeISO(zone)
