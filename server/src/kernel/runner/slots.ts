import type { AnyContext } from '../context.ts'

/** Which slots an attempt draws from: one that hangs must never hold a slot that a good one needs. */
export type SlotPool = 'proven' | 'trial' | 'failing'

/** What an attempt counts against: its pool, or once it is old, what is slow of all pools. */
type Account = SlotPool | 'slow'

/** An attempt under way. */
export interface Slot {
  readonly workspaceId: string
  /** When it was taken, or last renewed. */
  startedMs: number
  account: Account
}

export interface SlotLimits {
  /** Attempts under way at once, by pool. A failing lane never takes a slot that a good one needs. */
  max: Record<SlotPool, number>
  /** An attempt this old of the proven or the trial pool counts against it no longer, but as slow. */
  slowAfterMs: number
  /** So many are counted as slow; those beyond stay in their pools. */
  slowMax: number
  /** How much of a pool one workspace may hold, 0 to 1. The rest stays free for the others. */
  workspaceShare?: number
  /** With it the proven pool adapts to how busy this process is, between `min` and its `max`. */
  adaptive?: {
    min: number
    /** Share of the time since its last call, 0 to 1: 1 for a process that had no rest. */
    busyShare: () => number
  }
}

/**
 * A process that is never idle gains nothing from more in flight: answers only wait for it, and each
 * delivery costs it more (70 µs with 128 in flight, 81 with 512: measured). Unless it is the servers
 * who take their time: waiting for them costs nothing.
 */
const busyFrom = 0.9
const freeUpTo = 0.8
const slowServersMs = 100
const adaptEveryMs = 200

const noneUsed = (): Record<Account, number> => ({ proven: 0, trial: 0, failing: 0, slow: 0 })

/** What is under way, and how much more may be. */
export class Slots {
  readonly #ctx: AnyContext
  readonly #limits: SlotLimits
  readonly #taken = new Set<Slot>()
  readonly #used: Record<Account, number> = noneUsed()
  readonly #usedBy = new Map<string, Record<Account, number>>()
  readonly #share: number
  readonly #max: Record<SlotPool, number>
  #wereFull = false
  #adaptedAtMs = 0

  constructor(ctx: AnyContext, limits: SlotLimits) {
    this.#ctx = ctx
    this.#limits = limits
    this.#share = limits.workspaceShare ?? 1
    this.#max = { ...limits.max, proven: limits.adaptive?.min ?? limits.max.proven }
  }

  get size(): number {
    return this.#taken.size
  }

  hasFree(pool: SlotPool): boolean {
    const isFree = this.#used[pool] < this.#max[pool]
    if (!isFree && pool === 'proven') this.#wereFull = true
    return isFree
  }

  /** Whether this workspace holds less than its share of the pool. */
  hasShare(pool: SlotPool, workspaceId: string): boolean {
    return this.#isBelowShare(pool, workspaceId, this.#max[pool])
  }

  take(pool: SlotPool, workspaceId: string): Slot {
    const slot: Slot = { workspaceId, startedMs: this.#ctx.monotonicMs(), account: pool }
    this.#count(slot, 1)
    this.#taken.add(slot)
    return slot
  }

  /** The attempt goes on: it is young again, and counts against this pool as soon as that has room. */
  renew(slot: Slot, pool: SlotPool) {
    slot.startedMs = this.#ctx.monotonicMs()
    this.#taken.delete(slot)
    this.#taken.add(slot)
    if (slot.account === pool || !this.hasFree(pool)) return
    if (this.hasShare(pool, slot.workspaceId)) this.#move(slot, pool)
  }

  free(slot: Slot) {
    this.#taken.delete(slot)
    this.#count(slot, -1)
  }

  /** Called several times a second. */
  review() {
    this.#moveSlow()
    this.#adapt()
  }

  /** Slots are in order of their start or renewal: the first young one ends the walk. */
  #moveSlow() {
    const { slowAfterMs, slowMax } = this.#limits
    const startedBefore = this.#ctx.monotonicMs() - slowAfterMs
    for (const slot of this.#taken) {
      if (slot.startedMs > startedBefore || this.#used.slow >= slowMax) return
      if (slot.account === 'failing' || slot.account === 'slow') continue
      if (this.#isBelowShare('slow', slot.workspaceId, slowMax)) this.#move(slot, 'slow')
    }
  }

  #isBelowShare(account: Account, workspaceId: string, max: number): boolean {
    return (this.#usedBy.get(workspaceId)?.[account] ?? 0) < this.#share * max
  }

  #move(slot: Slot, account: Account) {
    this.#count(slot, -1)
    slot.account = account
    this.#count(slot, 1)
  }

  #count({ account, workspaceId }: Slot, by: 1 | -1) {
    const used = this.#usedBy.get(workspaceId) ?? noneUsed()
    used[account] += by
    this.#used[account] += by
    if (used.proven + used.trial + used.failing + used.slow > 0) this.#usedBy.set(workspaceId, used)
    else this.#usedBy.delete(workspaceId)
  }

  #adapt() {
    const { adaptive, max } = this.#limits
    const nowMs = this.#ctx.monotonicMs()
    if (!adaptive || nowMs - this.#adaptedAtMs < adaptEveryMs) return
    this.#adaptedAtMs = nowMs
    const busy = this.#meanAgeMs(nowMs) > slowServersMs ? 0 : adaptive.busyShare()
    if (busy > busyFrom) this.#max.proven = Math.max(adaptive.min, this.#max.proven * 0.8)
    else if (busy < freeUpTo && this.#wereFull) {
      this.#max.proven = Math.min(max.proven, this.#max.proven * 1.25)
    }
    this.#wereFull = false
  }

  #meanAgeMs(nowMs: number): number {
    let sum = 0
    for (const { account, startedMs } of this.#taken) {
      if (account === 'proven') sum += nowMs - startedMs
    }
    return sum / Math.max(1, this.#used.proven)
  }
}
