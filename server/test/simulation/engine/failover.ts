import type { Random } from '../../random.ts'
import type { ProcessSlots } from './process-slots.ts'
import type { World } from './world.ts'

/** The primary dies, and a standby is promoted. */
export interface FailoverPlan {
  /** After so many notable events, or after this time. */
  after: number
  afterMs: number
  /** The standby follows no further from then on; undefined: it has everything when the primary dies. */
  lag: { after: number; ms: number; atLeastMs: number } | undefined
  /** Until the promoted one answers: longer than any answer of the old one is under way. */
  downMs: number
  /** A runner dies with the primary. */
  takesRunner: boolean
}

export function drawFailover(random: Random, withinMs: number): FailoverPlan {
  return {
    after: random.whole(1, 8),
    afterMs: random.between(0, withinMs),
    lag: random.chance(0.65)
      ? {
          after: random.whole(1, 5),
          ms: random.pick([2_000, 20_000, 50_000, 100_000]),
          atLeastMs: random.pick([0, 0, 500, 5_000, 20_000, 50_000, 80_000]),
        }
      : undefined,
    downMs: random.between(2_000, 8_000),
    takesRunner: random.chance(0.3),
  }
}

/** Whoever listened for hints does so again, and looks at everything, since it may have missed some. */
const reconnectMs = 1_000

/** A promotion, as the checks look at it. */
export interface Promotion {
  /** When the standby stopped following, the primary died, and the promoted one began to answer. */
  followedMs: number
  diedMs: number
  upMs: number
}

/**
 * What is committed at the primary, and what a standby has of it. A standby that lags is a copy of all
 * tables as they were some commits ago: when it is promoted, it takes the place of what is there.
 */
export class Failovers {
  readonly promotions: Promotion[] = []
  readonly #world: World
  readonly #slots: ProcessSlots
  readonly #random: Random
  readonly #plans: FailoverPlan[]
  /** Notable events since the last stage of the plan, and what comes when there were enough of them. */
  #waiting: { left: number; next: () => void } | undefined
  #isLagging = false

  constructor(world: World, slots: ProcessSlots) {
    this.#world = world
    this.#slots = slots
    this.#random = world.random.fork('failover')
    this.#plans = [...world.environment.conditions.failovers]
  }

  /** One is under way: time must not be passed over. */
  get isUnderWay(): boolean {
    const { isDown, environment } = this.#world
    return isDown || (this.#isLagging && !environment.isClear)
  }

  begin() {
    const plan = this.#plans.shift()
    if (!plan) return
    this.#when(plan.after, plan.afterMs, plan.lag ? () => this.#lag(plan) : () => this.#die(plan))
  }

  /** Something happened that a failover is most telling after. */
  notable() {
    if (!this.#waiting || --this.#waiting.left > 0) return
    const { next } = this.#waiting
    this.#waiting = undefined
    this.#world.scheduler.after(this.#random.between(0, 300), null, next)
  }

  /** After so many notable events, or when the time is over; never any more once nothing shall break. */
  #when(left: number, ms: number, act: () => void) {
    const next = () => {
      if (this.#waiting === waiting) this.#waiting = undefined
      if (!waiting.isDone && !this.#world.environment.isClear) act()
      waiting.isDone = true
    }
    const waiting = { left, next, isDone: false }
    this.#waiting = waiting
    this.#world.scheduler.after(ms, null, next)
  }

  #lag(plan: FailoverPlan) {
    const { scheduler, admin, observer } = this.#world
    scheduler.after(0, null, async () => {
      this.#world.note('the standby follows no further')
      this.#isLagging = true
      const followedMs = scheduler.nowMs
      await admin.query('select standby.follow()')
      const goBack = observer.remember?.()
      const { after, ms, atLeastMs } = plan.lag ?? { after: 0, ms: 0, atLeastMs: 0 }
      const die = () => this.#die(plan, { followedMs, goBack })
      scheduler.after(atLeastMs, null, () => this.#when(after, ms, die))
    })
  }

  #die(
    plan: FailoverPlan,
    behind?: { followedMs: number; goBack: (() => Promise<void>) | undefined },
  ) {
    const { scheduler, admin } = this.#world
    scheduler.after(0, null, async () => {
      this.#world.note(
        `the primary dies${behind ? ', and its standby lacks the last commits' : ''}`,
      )
      this.#world.isDown = true
      const diedMs = scheduler.nowMs
      if (plan.takesRunner) await this.#slots.crashRunner()
      for (const { pool } of this.#world.processes) {
        await pool.lose(() => this.#random.chance(0.5))
      }
      if (behind) {
        await admin.query('select standby.promote()')
        await behind.goBack?.()
      }
      await admin.query('update standby.of_timeline set number = number + 1')
      this.#isLagging = false
      scheduler.after(plan.downMs, null, async () => {
        this.#world.isDown = false
        this.#world.note('the standby is promoted')
        const upMs = scheduler.nowMs
        const promotion = { followedMs: behind?.followedMs ?? diedMs, diedMs, upMs }
        this.promotions.push(promotion)
        for (const process of this.#world.processes) {
          if (process.isListening) scheduler.after(reconnectMs, process, () => process.hear(''))
        }
        this.#world.observer.promoted?.(promotion)
        this.begin()
      })
    })
  }
}
