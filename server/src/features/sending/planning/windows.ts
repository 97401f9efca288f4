import { ZoneCalendar } from '../../../kernel/calendar.ts'
import { type CampaignSchedule, closesAt, windowState, zoneOf } from '../../campaigns/index.ts'

export interface OpenInterval {
  openMs: number
  closeMs: number
}

/** An interval that was looked up, and the instant from which on it is the open or the next one. */
interface KnownInterval extends OpenInterval {
  sinceMs: number
}

const knownMax = 500

/** The open intervals of a schedule and the days of its campaign; what was asked once is known. */
export class Windows {
  readonly calendar: ZoneCalendar
  readonly #schedule: CampaignSchedule
  #known: KnownInterval[] = []
  #last: KnownInterval | undefined

  constructor(schedule: CampaignSchedule) {
    this.#schedule = schedule
    this.calendar = new ZoneCalendar(zoneOf(schedule))
  }

  /** The one that is open, else the next; null when no other opens. */
  intervalAt(ms: number): OpenInterval | null {
    const fits = (interval: KnownInterval) => ms >= interval.sinceMs && ms < interval.closeMs
    if (!this.#last || !fits(this.#last)) this.#last = this.#known.find(fits) ?? this.#find(ms)
    return this.#last ?? null
  }

  /** The first instant from `ms` on at which it is open; null when it never is again. */
  openingAt(ms: number): number | null {
    const interval = this.intervalAt(ms)
    return interval && Math.max(interval.openMs, ms)
  }

  #find(ms: number): KnownInterval | undefined {
    const { nextOpen } = windowState(this.#schedule, new Date(ms))
    if (!nextOpen) return
    const interval = {
      sinceMs: ms,
      openMs: nextOpen.getTime(),
      closeMs: closesAt(this.#schedule, nextOpen).getTime(),
    }
    this.#known.push(interval)
    if (this.#known.length > knownMax) this.#known.shift()
    return interval
  }
}

/** A runner plans by the same schedule again and again. */
const windows = new WeakMap<CampaignSchedule, Windows>()

export function sendingWindowsOf(schedule: CampaignSchedule): Windows {
  const known = windows.get(schedule) ?? new Windows(schedule)
  windows.set(schedule, known)
  return known
}
