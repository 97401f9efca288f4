import { type CampaignSchedule, closesAt, windowState } from '../../campaigns/index.ts'

export interface Stretch {
  openMs: number
  closeMs: number
}

/** The open stretches of a schedule; what was asked once is known. */
export class Windows {
  readonly #schedule: CampaignSchedule
  #known: (Stretch & { sinceMs: number })[] = []
  #last: (Stretch & { sinceMs: number }) | undefined

  constructor(schedule: CampaignSchedule) {
    this.#schedule = schedule
  }

  /** The one that is open, else the next; null when no other opens. */
  stretchAt(ms: number): Stretch | null {
    const fits = (stretch: { sinceMs: number; closeMs: number }) =>
      ms >= stretch.sinceMs && ms < stretch.closeMs
    if (!this.#last || !fits(this.#last)) this.#last = this.#known.find(fits) ?? this.#find(ms)
    return this.#last ?? null
  }

  /** The first instant from `ms` on at which it is open; null when it never is again. */
  openingAt(ms: number): number | null {
    const stretch = this.stretchAt(ms)
    return stretch && Math.max(stretch.openMs, ms)
  }

  #find(ms: number) {
    const { nextOpen } = windowState(this.#schedule, new Date(ms))
    if (!nextOpen) return
    const stretch = {
      sinceMs: ms,
      openMs: nextOpen.getTime(),
      closeMs: closesAt(this.#schedule, nextOpen).getTime(),
    }
    this.#known.push(stretch)
    return stretch
  }
}
