import type { ProcessContext } from '../kernel/context.ts'
import { poolOf } from '../kernel/db/db.ts'
import { dayMs, hourMs } from '../kernel/durations.ts'

/** As long as every loop of the service needs to look at the new time. */
const restMs = 60
const lookAgainMs = 3

/** Loops that look every quarter of a second do so every twentieth; nobody waits for them here. */
const hurry = 5

/** So much longer are the steps at night and at weekends. */
const nightly = 9

interface Appointment {
  ms: number
  work: () => Promise<void>
}

export interface SandboxClockOptions {
  /** When it begins. */
  daysAgo: number
  /** In working hours. */
  leapMs: number
  /** Of something that was to be done at a time. */
  onFailure: (error: unknown) => void
}

/** When the campaign sends, in UTC: in these hours the clock takes small steps. */
export const workingHours = { from: 8, to: 18 }

/**
 * The time of the sandbox. It begins weeks ago and goes as fast as any other clock, but whenever all
 * is quiet it leaps ahead, until it has caught up with the present. It never leaps while a
 * transaction is open: what relies on a commit being seen soon after the time it was written with
 * holds as ever. And a slow machine makes the sandbox slower, never late.
 */
export class SandboxClock {
  readonly #ctx: Pick<ProcessContext, 'now' | 'sleep' | 'db'>
  readonly #leapMs: number
  readonly #onFailure: (error: unknown) => void
  readonly #stopping = new AbortController()
  #behindMs: number
  #appointments: Appointment[] = []
  #underWay = 0
  #running: Promise<void> | undefined

  constructor(ctx: Pick<ProcessContext, 'now' | 'sleep' | 'db'>, options: SandboxClockOptions) {
    this.#ctx = ctx
    this.#leapMs = options.leapMs
    this.#onFailure = options.onFailure
    const present = ctx.now()
    this.#behindMs = present.getTime() - morning(present, options.daysAgo).getTime()
  }

  readonly now = (): Date => new Date(this.#ctx.now().getTime() - this.#behindMs)

  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    this.#ctx.sleep(this.isBehind ? ms / hurry : ms, signal)

  get isBehind(): boolean {
    return this.#behindMs > 0
  }

  /** Nobody has anything on for later. */
  get isFree(): boolean {
    return this.#appointments.length === 0 && this.#underWay === 0
  }

  /** Something to be done so much later; the clock does not leap while it is being done. */
  in(ms: number, work: () => Promise<void>): void {
    this.#appointments.push({ ms: this.now().getTime() + ms, work })
    this.#appointments.sort((a, b) => a.ms - b.ms)
  }

  start(): void {
    this.#running = this.#run()
  }

  /** From now on it is as late here as everywhere. */
  catchUp(): void {
    this.#behindMs = 0
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run() {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      await this.#ctx.sleep(restMs, signal)
      this.#keepAppointments()
      while (!this.#isQuiet() && !signal.aborted) await this.#ctx.sleep(lookAgainMs, signal)
      this.#behindMs = Math.max(0, this.#behindMs - leapFrom(this.now(), this.#leapMs))
      this.#keepAppointments()
    }
  }

  #isQuiet(): boolean {
    const pool = poolOf(this.#ctx.db)
    return this.#underWay === 0 && pool !== undefined && pool.idleCount === pool.totalCount
  }

  #keepAppointments() {
    const nowMs = this.now().getTime()
    while (this.#appointments[0] && this.#appointments[0].ms <= nowMs) {
      const { work } = this.#appointments.shift() as Appointment
      this.#underWay += 1
      void work()
        .catch(this.#onFailure)
        .finally(() => {
          this.#underWay -= 1
        })
    }
  }
}

export function isWorkingTime(time: Date): boolean {
  const [day, hour] = [time.getUTCDay(), time.getUTCHours()]
  return day !== 0 && day !== 6 && hour >= workingHours.from && hour < workingHours.to
}

/** Nights and weekends are over soon, and nobody oversleeps. */
function leapFrom(now: Date, leapMs: number): number {
  if (isWorkingTime(now)) return leapMs
  const opensMs = new Date(now).setUTCHours(workingHours.from, 0, 0, 0)
  const waitMs = opensMs > now.getTime() ? opensMs - now.getTime() : 24 * hourMs
  return Math.min(nightly * leapMs, waitMs)
}

/** Before anybody is at work. */
function morning(present: Date, daysAgo: number): Date {
  const day = new Date(present.getTime() - daysAgo * dayMs)
  return new Date(day.setUTCHours(workingHours.from - 1, 30, 0, 0))
}
