import type { Context } from '../../kernel/context.ts'
import type { DueDelivery } from './delivery.ts'
import type { Lane, Pool } from './lane.ts'

/** A request under way. */
export interface Flight {
  lane: Lane
  row: DueDelivery
  startedMs: number
  pool: Pool
}

/** Requests in flight at once, by pool. A failing lane never takes a slot that a good one needs. */
const slotsMax: Record<Pool, number> = { proven: 512, trial: 256, failing: 256 }
/** A request this old no longer counts against its pool but against the failing one. */
const slowAfterMs = 1_000
const slowMax = 1024
/**
 * A process that is never idle gains nothing from more in flight: answers only wait for it, and each
 * delivery costs it more (70 µs with 128 in flight, 81 with 512: measured). Unless it is the receivers
 * who take their time: waiting for them costs nothing.
 */
const provenMin = 64
const busyFrom = 0.9
const freeUpTo = 0.8
const slowReceiversMs = 100
const adaptEveryMs = 200

/** Who is in flight, and how many more may be. */
export class Slots {
  readonly #ctx: Context
  readonly #busyShare: () => number
  readonly #flights = new Set<Flight>()
  readonly #used: Record<Pool, number> = { proven: 0, trial: 0, failing: 0 }
  readonly #max = { ...slotsMax, proven: provenMin }
  #wereFull = false
  #adaptedAtMs = 0

  /** @param busyShare of the time since its last call: 1 for a process that had no rest */
  constructor(ctx: Context, busyShare: () => number) {
    this.#ctx = ctx
    this.#busyShare = busyShare
  }

  get inFlight(): number {
    return this.#flights.size
  }

  hasFree(pool: Pool): boolean {
    const isFree = this.#used[pool] < this.#max[pool]
    if (!isFree && pool === 'proven') this.#wereFull = true
    return isFree
  }

  take(lane: Lane, row: DueDelivery): Flight {
    const flight = { lane, row, startedMs: this.#ctx.monotonicMs(), pool: lane.pool }
    this.#used[flight.pool] += 1
    this.#flights.add(flight)
    return flight
  }

  free(flight: Flight) {
    this.#flights.delete(flight)
    this.#used[flight.pool] -= 1
  }

  isFlyingOf(buckets: Set<number>): boolean {
    return [...this.#flights].some((flight) => buckets.has(flight.lane.bucket))
  }

  /** Called several times a second. */
  review() {
    this.#moveSlow()
    this.#adapt()
  }

  /** Flights are in order of their start: the first young one ends the walk. */
  #moveSlow() {
    const startedBefore = this.#ctx.monotonicMs() - slowAfterMs
    for (const flight of this.#flights) {
      if (flight.startedMs > startedBefore || this.#used.failing >= slowMax) return
      if (flight.pool === 'failing') continue
      this.#used[flight.pool] -= 1
      this.#used.failing += 1
      flight.pool = 'failing'
    }
  }

  #adapt() {
    const nowMs = this.#ctx.monotonicMs()
    if (nowMs - this.#adaptedAtMs < adaptEveryMs) return
    this.#adaptedAtMs = nowMs
    const busy = this.#meanAgeMs(nowMs) > slowReceiversMs ? 0 : this.#busyShare()
    if (busy > busyFrom) this.#max.proven = Math.max(provenMin, this.#max.proven * 0.8)
    else if (busy < freeUpTo && this.#wereFull) {
      this.#max.proven = Math.min(slotsMax.proven, this.#max.proven * 1.25)
    }
    this.#wereFull = false
  }

  #meanAgeMs(nowMs: number): number {
    let sum = 0
    for (const { pool, startedMs } of this.#flights) if (pool === 'proven') sum += nowMs - startedMs
    return sum / Math.max(1, this.#used.proven)
  }
}
