import type { ProcessContext } from '../context.ts'
import { describeError } from '../log.ts'
import * as queries from './lease-queries.ts'

export const bucketCount = 256
export const allBuckets = Array.from({ length: bucketCount }, (_, bucket) => bucket)

/** The bucket of a lane: the last byte of its UUID, which is random. */
export const bucketOf = (laneId: string) => Number.parseInt(laneId.slice(-2), 16)

export interface LeaseEvents {
  /** Buckets that are ours from now on; `abandoned` ones were taken from a dead or stalled runner. */
  taken: (buckets: number[], abandoned: number[]) => void
  /** Buckets whose lanes must start nothing any more. */
  lost: (buckets: number[]) => void
  /** Resolves when nothing of these buckets is in flight: before they go to another runner. */
  drained: (buckets: number[]) => Promise<void>
}

interface HeldLease {
  token: string
  /** Until then the lease is trusted. */
  deadlineMs: number
  /** When it was last in doubt: only what was asked later says anything about it. */
  doubtedAtMs: number
}

/**
 * Which buckets this runner owns. Each heartbeat renews them, takes its share of the free ones and
 * hands over what is more than its share.
 *
 * A lease is trusted until the deadline counted from *before* its renewal was sent, less a margin:
 * whatever stalls in between, the owner stops first. Results are settled by row, so a lease that is
 * lost all the same costs a second request at most, never a wrong record.
 *
 * What this runner knows of a bucket that it has taken:
 * - held: its lanes may start work for as long as the lease is trusted.
 * - leaving: leased still, and its lanes only end what they have under way. Then it is given back.
 * - in doubt: the answer to giving it back never came. Its lanes start nothing before a renewal that was
 *   asked for later tells.
 */
export class Leases {
  readonly runnerId: string
  readonly #ctx: ProcessContext
  readonly #kind: string
  readonly #leaseMs: number
  readonly #marginMs: number
  readonly #events: LeaseEvents
  /** Every bucket that is leased, also those that are leaving or in doubt. */
  readonly #held = new Map<number, HeldLease>()
  readonly #leaving = new Set<number>()

  constructor(ctx: ProcessContext, kind: string, events: LeaseEvents) {
    this.#ctx = ctx
    this.#kind = kind
    this.#events = events
    this.#leaseMs = ctx.config.leaseMs
    this.#marginMs = Math.min(5_000, this.#leaseMs / 4)
    this.runnerId = ctx.newId()
  }

  /** Asked before every send. A bucket on its way to another runner starts nothing more. */
  holds(bucket: number, nowMs = this.#ctx.monotonicMs()): boolean {
    const lease = this.#held.get(bucket)
    return lease !== undefined && !this.#leaving.has(bucket) && nowMs < lease.deadlineMs
  }

  /** What the owner of a bucket writes into the rows it claims; undefined when it is not ours. */
  token(bucket: number): string | undefined {
    return this.#held.get(bucket)?.token
  }

  /** Owned and not being handed over. */
  buckets(): number[] {
    return [...this.#held.keys()].filter((bucket) => !this.#leaving.has(bucket))
  }

  async beat() {
    const { db, monotonicMs, processMark, secrets } = this.#ctx
    await queries.upsertRunner(db, this.#kind, {
      ...{ id: this.runnerId, process: processMark?.text ?? null },
      keyIds: secrets.keyIds,
    })
    await this.#endPredecessors()
    const sentMs = monotonicMs()
    const renewed = await queries.renewLeases(
      db,
      this.#kind,
      this.runnerId,
      this.#leases([...this.#held.keys()]),
      this.#leaseMs,
    )
    this.#extend(renewed, sentMs)
    this.#drop([...this.#held.keys()].filter((bucket) => !renewed.includes(bucket)))
    const runners = await queries.countRunners(db, this.#kind, this.#leaseMs)
    const share = Math.ceil(bucketCount / Math.max(1, runners))
    await this.#take(share - this.#held.size)
    this.#handOver(this.buckets().slice(share))
  }

  /** A clean stop: the lanes are drained, so the next runner goes on at once. */
  async release() {
    const buckets = [...this.#held.keys()]
    for (const bucket of buckets) this.#leaving.add(bucket)
    this.#events.lost(buckets)
    await this.#events.drained(buckets)
    const leases = this.#leases(buckets)
    this.#held.clear()
    this.#leaving.clear()
    const { db, log } = this.#ctx
    try {
      await queries.releaseLeases(db, this.#kind, this.runnerId, leases)
      await queries.deleteRunner(db, this.runnerId)
      await queries.deleteDeadRunners(db)
    } catch (error) {
      // The database is away: whatever else has to end must end all the same.
      log.warn({ kind: this.#kind, ...describeError(error) }, 'leases were not given back')
    }
  }

  /** Ends runners that are known to be dead: they need no time to come back. */
  async #endPredecessors() {
    const { db, processMark } = this.#ctx
    if (!processMark) return
    const runners = await queries.findMarkedRunners(db, this.#kind)
    const gone = runners.filter(({ process }) => processMark.isGone(process))
    if (gone.length === 0) return
    const ids = gone.map(({ id }) => id)
    await queries.endRunners(db, this.#kind, ids)
    this.#ctx.log.warn({ kind: this.#kind, count: gone.length }, 'runners were killed: taking over')
  }

  async #take(most: number) {
    if (most <= 0) return
    const sentMs = this.#ctx.monotonicMs()
    const { db } = this.#ctx
    const taken = await queries.takeLeases(db, this.#kind, this.runnerId, most, this.#leaseMs)
    if (taken.length === 0) return
    for (const { bucket, token } of taken) {
      this.#held.set(bucket, { token, deadlineMs: 0, doubtedAtMs: -1 })
      // Released by this runner itself, whose hand-over may not have had its answer yet.
      this.#leaving.delete(bucket)
    }
    const buckets = taken.map((lease) => lease.bucket)
    this.#extend(buckets, sentMs)
    this.#events.taken(
      buckets,
      taken.filter((lease) => lease.abandoned).map((lease) => lease.bucket),
    )
  }

  #extend(buckets: number[], sentMs: number) {
    for (const bucket of buckets) {
      const lease = this.#held.get(bucket)
      if (!lease || sentMs <= lease.doubtedAtMs) continue
      lease.deadlineMs = sentMs + this.#leaseMs - this.#marginMs
    }
  }

  #drop(buckets: number[]) {
    if (buckets.length === 0) return
    for (const bucket of buckets) {
      this.#held.delete(bucket)
      this.#leaving.delete(bucket)
    }
    this.#events.lost(buckets)
  }

  /** Goes on in the background: one slow receiver must not hold up the heartbeat. */
  #handOver(buckets: number[]) {
    if (buckets.length === 0) return
    for (const bucket of buckets) this.#leaving.add(bucket)
    const leases = this.#leases(buckets)
    this.#events.lost(buckets)
    this.#events
      .drained(buckets)
      .then(() => queries.releaseLeases(this.#ctx.db, this.#kind, this.runnerId, leases))
      .then(() => this.#drop(this.#stillHeld(leases)))
      .catch((error) => {
        this.#ctx.log.warn(describeError(error), 'buckets were not handed over')
        this.#doubt(this.#stillHeld(leases))
      })
  }

  /** Maybe released, maybe not: the next renewal tells, and nothing is started until then. */
  #doubt(buckets: number[]) {
    for (const bucket of buckets) {
      this.#leaving.delete(bucket)
      const lease = this.#held.get(bucket)
      if (!lease) continue
      lease.deadlineMs = 0
      lease.doubtedAtMs = this.#ctx.monotonicMs()
    }
  }

  /** A bucket that was lost meanwhile may be here again, under another token. */
  #stillHeld(leases: queries.Lease[]): number[] {
    return leases
      .filter(({ bucket, token }) => this.#held.get(bucket)?.token === token)
      .map(({ bucket }) => bucket)
  }

  #leases(buckets: number[]): queries.Lease[] {
    return buckets.flatMap((bucket) => {
      const lease = this.#held.get(bucket)
      return lease ? [{ bucket, token: lease.token }] : []
    })
  }
}
