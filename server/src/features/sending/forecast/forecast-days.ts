import type { Block, Budget } from '../planning/allocate.ts'
import type { PlannedLane } from '../planning/planned-lane.ts'

export const dayLimits = [
  'campaign_daily_limit',
  'new_lead_limit',
  'mailbox_daily_limits',
  /** The gaps between its mails fill the window. */
  'mailbox_busy',
  /** All that was due was sent. */
  'waiting_for_step_delay',
  /** No window opens. */
  'outside_schedule',
] as const

export type DayLimit = (typeof dayLimits)[number]

export interface ForecastDay {
  date: string
  sends: number
  new_leads: number
  /** The mailboxes that send on this day. */
  mailboxes: { mailbox_id: string; sends: number }[]
  /** Why it is not more; null: nothing is left to send. */
  limited_by: DayLimit | null
}

/** What of the work tells why a day ended as it did. */
interface Due {
  hasNewBefore(ms: number): boolean
  lanesDueBefore(ms: number): PlannedLane[]
}

/** A day under way. */
interface OpenDay {
  date: string
  /** End of its last window. */
  closeMs: number
  sends: number
  newLeads: number
  /** By lane. */
  from: number[]
  full: Set<PlannedLane>
  blocks: Set<Block>
}

/** The calendar of a forecast, written as its mails are. */
export class ForecastDays {
  sends = 0
  lastSendMs: number | null = null
  readonly #budget: Budget
  readonly #lanes: PlannedLane[]
  readonly #days: ForecastDay[] = []
  readonly #startMs: number
  #open: OpenDay | undefined

  constructor(budget: Budget, lanes: PlannedLane[], startMs: number) {
    this.#budget = budget
    this.#lanes = lanes
    this.#startMs = startMs
  }

  /** Before the work knows of it. */
  sent(due: Due, lane: PlannedLane, isNew: boolean, atMs: number) {
    const day = this.#dayOf(due, atMs)
    day.sends++
    if (isNew) day.newLeads++
    day.from[lane.rank] = (day.from[lane.rank] ?? 0) + 1
    this.sends++
    this.lastSendMs = atMs
  }

  blocked(due: Due, lane: PlannedLane, by: Block, atMs: number) {
    if (by === 'outside_schedule') return
    const day = this.#dayOf(due, atMs)
    day.blocks.add(by)
    if (by === 'mailbox_daily_limits') day.full.add(lane)
  }

  /** @param isDone nothing is left to send */
  finish(due: Due, isDone: boolean): ForecastDay[] {
    const last = this.#open
    if (last) this.#close(due, last)
    const days = this.#days.slice(0, this.#days.findLastIndex(({ sends }) => sends > 0) + 1)
    const lastDay = days.at(-1)
    if (lastDay && isDone) lastDay.limited_by = null
    return this.#withoutHoles(days)
  }

  #dayOf(due: Due, atMs: number): OpenDay {
    const { date } = this.#budget.calendar.dayAt(atMs)
    if (this.#open && this.#open.date !== date) this.#close(due, this.#open)
    if (this.#open?.date !== date) this.#open = newDay(date)
    const interval = this.#budget.windows.intervalAt(atMs)
    this.#open.closeMs = interval?.closeMs ?? atMs
    return this.#open
  }

  #close(due: Due, day: OpenDay) {
    this.#days.push({
      date: day.date,
      sends: day.sends,
      new_leads: day.newLeads,
      mailboxes: this.#lanes.flatMap(({ mailbox, rank }) =>
        day.from[rank] ? [{ mailbox_id: mailbox.id, sends: day.from[rank] }] : [],
      ),
      limited_by: this.#limitOf(due, day),
    })
    this.#open = undefined
  }

  #limitOf(due: Due, { closeMs, blocks, full }: OpenDay): DayLimit {
    const hasNew = due.hasNewBefore(closeMs)
    const behind = due.lanesDueBefore(closeMs)
    if (!hasNew && behind.length === 0) return 'waiting_for_step_delay'
    if (blocks.has('campaign_daily_limit')) return 'campaign_daily_limit'
    if (behind.length === 0 && blocks.has('new_lead_limit')) return 'new_lead_limit'
    const lanes = hasNew && !blocks.has('new_lead_limit') ? this.#lanes : behind
    return lanes.every((lane) => full.has(lane)) ? 'mailbox_daily_limits' : 'mailbox_busy'
  }

  /** Days on which nothing is sent are days of the calendar as well. */
  #withoutHoles(days: ForecastDay[]): ForecastDay[] {
    const { calendar, windows } = this.#budget
    const all: ForecastDay[] = []
    let ms = this.#startMs
    for (const day of days) {
      for (let hole = calendar.dayAt(ms); hole.date < day.date; hole = calendar.dayAt(hole.endMs)) {
        const opensMs = windows.openingAt(Math.max(hole.startMs, this.#startMs))
        const isOpen = opensMs !== null && opensMs < hole.endMs
        all.push({
          date: hole.date,
          sends: 0,
          new_leads: 0,
          mailboxes: [],
          limited_by: isOpen ? 'waiting_for_step_delay' : 'outside_schedule',
        })
        ms = hole.endMs
      }
      all.push(day)
      ms = calendar.dayAt(ms).endMs
    }
    return all
  }
}

const newDay = (date: string): OpenDay => ({
  date,
  closeMs: 0,
  sends: 0,
  newLeads: 0,
  from: [],
  full: new Set(),
  blocks: new Set(),
})
