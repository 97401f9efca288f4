import type { CampaignSchedule } from '../../../api/generated/types.gen.ts'
import { offsetMinutes, zoneName } from '../../../lib/time.ts'

export type WeeklySchedule = CampaignSchedule['schedules'][number]
export type DayKey = keyof WeeklySchedule['days']

/** Monday first, as the grid shows them. */
export const week: DayKey[] = [1, 2, 3, 4, 5, 6, 0]

export const dayMinutes = 1440
const stepMinutes = 30

/** `09:30` is 570; `24:00` is the end of the day. */
function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}

function timeOf(minutes: number): string {
  const two = (number: number) => String(number).padStart(2, '0')
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

/** `9:30` is `09:30`; undefined: it is no time of a day. */
export function timeIn(text: string): string | undefined {
  const time = text.trim().replace(/^\d:/, '0$&')
  return /^([01]\d|2[0-3]):[0-5]\d$|^24:00$/.test(time) ? time : undefined
}

export interface Point {
  /** Of the week as it is shown. */
  row: number
  minutes: number
}

export type DraggedHours = Pick<WeeklySchedule, 'timing' | 'days'>

export interface Span {
  /** Minutes of the day. */
  from: number
  to: number
}

/**
 * When a schedule is open on a day of another one's zone, which may be a day away: by how far apart the two
 * are at that time.
 */
export function spansOn(
  day: DayKey,
  { days, timing, timezone }: WeeklySchedule,
  zone: string,
  at: number,
): Span[] {
  const shift = timezone === zone ? 0 : offsetMinutes(zone, at) - offsetMinutes(timezone, at)
  return [-2, -1, 0, 1, 2].flatMap((away) => {
    if (!days[((day + away + 7) % 7) as DayKey]) return []
    const from = Math.max(0, away * dayMinutes + shift + minutesOf(timing.from))
    const to = Math.min(dayMinutes, away * dayMinutes + shift + minutesOf(timing.to))
    return from < to ? [{ from, to }] : []
  })
}

/** From one point to another: days, and whole half hours. */
export function hoursFromDrag(start: Point, end: Point): DraggedHours {
  const snap = (minutes: number) => Math.floor(minutes / stepMinutes) * stepMinutes
  const from = Math.min(snap(start.minutes), snap(end.minutes))
  const to = Math.max(snap(start.minutes), snap(end.minutes)) + stepMinutes
  const [first, last] = [Math.min(start.row, end.row), Math.max(start.row, end.row)]
  const days = week.map((day, row) => [day, row >= first && row <= last] as const)
  return {
    timing: { from: timeOf(from), to: timeOf(Math.min(dayMinutes, to)) },
    days: Object.fromEntries(days) as WeeklySchedule['days'],
  }
}

/**
 * The first schedule has office hours. A further one is a copy of the one that is shown: a campaign that
 * runs would send in whatever hours it adds, until somebody has said which.
 */
export const newSchedule = (like: WeeklySchedule | undefined, name: string): WeeklySchedule => ({
  timing: { from: '09:00', to: '17:00' },
  days: { 0: false, 1: true, 2: true, 3: true, 4: true, 5: true, 6: false },
  timezone: zoneName(),
  ...like,
  name,
})
