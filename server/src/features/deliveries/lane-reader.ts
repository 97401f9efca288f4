import type { Context } from '../../kernel/context.ts'
import { openDestination } from '../webhooks/index.ts'
import { closeBacklog, closeDeleted, closeExpired, closeSuspect, pendingMax } from './close.ts'
import type { DueDelivery } from './delivery.ts'
import { type Lane, start } from './lane.ts'
import type { LaneHealth } from './queries.ts'
import { createWorkspaceReads } from './workspace-reads.ts'

/**
 * A destination that was deleted or disabled, or lost its plan, is noticed within so many sends, or so
 * long; one that was changed with the first row that was read after the change.
 */
const sendsPerDestinationRead = 64
const destinationTrustedMs = 1_000
const restMs = 5_000
const expiryCheckEveryMs = 60_000
const backlogCheckEveryMs = 60_000
const restartEveryMs = 5_000

/**
 * What a lane has to know before it sends: how it stands, where it leads, what is due. Deliveries that
 * will never be sent are closed on the way.
 */
export class LaneReader {
  readonly #ctx: Context
  readonly #slot: number
  readonly #drop: (lane: Lane) => void
  readonly #read: ReturnType<typeof createWorkspaceReads>

  /** @param drop forgets what was read of a lane */
  constructor(ctx: Context, slot: number, drop: (lane: Lane) => void) {
    this.#ctx = ctx
    this.#slot = slot
    this.#drop = drop
    this.#read = createWorkspaceReads(ctx)
  }

  /**
   * What fell due and is neither sent nor being sent. What has expired meanwhile is closed.
   *
   * @returns nothing when the destination is gone, disabled, or not in the plan
   */
  async readDue(lane: Lane): Promise<DueDelivery[]> {
    const { now, monotonicMs } = this.#ctx
    if (!lane.healthKnown) lane.adopt(await this.#read.health(lane))
    if (!this.isTrusted(lane) && !(await this.readDestination(lane))) return []
    await this.#checkBacklog(lane)
    if (lane.isSuspicious && lane.suspect) {
      await closeSuspect(this.#ctx, lane, this.#slot)
      lane.suspect = null
    }
    if (monotonicMs() >= lane.restartAtMs) {
      lane.position = start
      lane.restartAtMs = monotonicMs() + restartEveryMs
    }
    const { fresh, position, hasMore } = await this.#read.due(lane)
    lane.position = position
    if (hasMore) lane.hasMore = true
    // A row may be of an event made after a change: it is sent by the destination as changed.
    const isChanged = fresh.some((row) => row.version !== lane.version)
    if (isChanged && !(await this.readDestination(lane))) return []
    const nowMs = now().getTime()
    if (fresh.some((row) => row.expires_ms <= nowMs)) {
      await closeExpired(this.#ctx, lane, 'expired', this.#slot)
      lane.hasMore = true
    }
    return fresh.filter((row) => row.expires_ms > nowMs)
  }

  /** How the lane stands in the database; undefined: nothing ever failed. */
  readHealth = (lane: Lane): Promise<LaneHealth | undefined> => this.#read.health(lane)

  /** False when nothing is to be sent: the destination is gone, disabled, or not in the plan. */
  async readDestination(lane: Lane): Promise<boolean> {
    const askedMs = this.#ctx.monotonicMs()
    const { sends } = lane
    const row = await this.#read.destination(lane)
    // Of two reads under way the one that began first may be answered last.
    if (row && row.version < lane.version) return lane.destination !== undefined
    lane.version = row?.version ?? lane.version
    if (row?.status === 'active' && row.plan_webhooks) {
      lane.destination = openDestination(this.#ctx, row)
      lane.sendsLeft = sendsPerDestinationRead - (lane.sends - sends)
      // An answer that was long under way is old already.
      lane.trustedUntilMs = askedMs + destinationTrustedMs
      return true
    }
    const url = lane.destination?.url ?? row?.target_hook_url
    lane.destination = undefined
    // A read that is under way may still bring rows: they wait for another look at the destination.
    lane.sendsLeft = 0
    this.#drop(lane)
    lane.hasMore = false
    if (!row) {
      const left = await closeDeleted(this.#ctx, lane, url, this.#slot)
      lane.hasMore = left
      return false
    }
    await this.#rest(lane, url)
    return false
  }

  /** Disabled: the rows stay until they expire, or a person resumes the destination. */
  async #rest(lane: Lane, url: string | undefined) {
    const nowMs = this.#ctx.monotonicMs()
    lane.restUntilMs = nowMs + restMs
    if (nowMs >= lane.expiryCheckAtMs) {
      lane.expiryCheckAtMs = nowMs + expiryCheckEveryMs
      await closeExpired(this.#ctx, lane, 'destination_disabled', this.#slot, url)
    }
    await this.#checkBacklog(lane)
  }

  /** Whether what is known of the destination may still be used. */
  isTrusted(lane: Lane): boolean {
    return lane.sendsLeft > 0 && this.#ctx.monotonicMs() < lane.trustedUntilMs
  }

  /** Only a lane that does not deliver piles up. */
  async #checkBacklog(lane: Lane) {
    const nowMs = this.#ctx.monotonicMs()
    if (lane.pool === 'proven' || nowMs < lane.backlogCheckAtMs) return
    lane.backlogCheckAtMs = nowMs + backlogCheckEveryMs
    const excess = (await this.#read.pending(lane)) - pendingMax
    if (excess > 0) await closeBacklog(this.#ctx, lane, excess, this.#slot)
  }
}
