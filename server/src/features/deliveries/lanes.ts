import type { Context } from '../../kernel/context.ts'
import { describeError } from '../../kernel/log.ts'
import type { SentOutcome } from '../../kernel/outbound/index.ts'
import { FairQueue } from '../../kernel/runner/fair-queue.ts'
import { bucketOf } from '../../kernel/runner/leases.ts'
import { type Pool, type Slot, Slots } from '../../kernel/runner/slots.ts'
import { decide, healthOf, judge } from './decide.ts'
import type { Attempt, DueDelivery } from './delivery.ts'
import { Lane } from './lane.ts'
import { LaneReader } from './lane-reader.ts'
import * as queries from './queries.ts'
import { type OpenDestination, send } from './send.ts'
import { type SettledBatch, type Settlement, SettleWriter } from './settle.ts'
import { provenMin, slotLimits } from './slot-limits.ts'
import { rowsOfLaneMax } from './workspace-reads.ts'

export interface LanesOptions {
  slot: number
  /** Whether this runner may still start requests of a bucket. */
  holds: (bucket: number) => boolean
  /** How busy this process was since it was asked last, 0 to 1; without it, never too busy. */
  busyShare?: () => number
  /** Called once per attempt that was written. */
  onAttempt?: (attempt: Attempt) => void
}

/** A request under way. */
interface Flight {
  lane: Lane
  row: DueDelivery
  slot: Slot
}

/** Lanes that are being read at once; those of a workspace share statements. */
const readsMax = 64
/** Read and not sent yet, of all lanes. */
const bodyBytesMax = 16 * 1024 * 1024
/** A destination is asked about so many sends ahead: a lane in full flow does not stop for the answer. */
const sendsAhead = 32
const pauseReviewEveryMs = 5_000
const idleLanesMax = 20_000

/**
 * The lanes of this runner's buckets. `wake` says that a lane may have due work; everything else
 * follows from it: read, send, settle, read on. No lane waits for another but for slots, and those
 * are handed out in turn by workspace, then by lane.
 */
export class Lanes {
  readonly settler: SettleWriter
  readonly #ctx: Context
  readonly #options: LanesOptions
  readonly #lanes = new Map<string, Lane>()
  readonly #ready: Record<Pool, FairQueue<Lane>> = {
    proven: new FairQueue(),
    trial: new FairQueue(),
    failing: new FairQueue(),
  }
  readonly #toRead = new FairQueue<Lane>()
  readonly #pausing = new Set<Lane>()
  readonly #reader: LaneReader
  readonly #slots: Slots
  #reads = 0
  #bodyBytes = 0

  constructor(ctx: Context, options: LanesOptions) {
    this.#ctx = ctx
    this.#options = options
    this.#reader = new LaneReader(ctx, options.slot, (lane) => this.#unread(lane))
    const adaptive = { min: provenMin, busyShare: options.busyShare ?? (() => 0) }
    this.#slots = new Slots(ctx, { ...slotLimits, adaptive })
    this.settler = new SettleWriter(ctx, options.slot, (settlements, batch) =>
      this.#settled(settlements, batch),
    )
  }

  /** Destinations that are remembered. */
  get size(): number {
    return this.#lanes.size
  }

  /** Destinations of which something is due, or under way. */
  get withWork(): number {
    let count = 0
    for (const lane of this.#lanes.values()) if (lane.hasMore || !lane.isIdle) count += 1
    return count
  }

  get inFlight(): number {
    return this.#slots.size
  }

  wake(workspaceId: string, webhookId: string) {
    if (!this.#options.holds(bucketOf(webhookId))) return
    let lane = this.#lanes.get(webhookId)
    if (!lane) {
      lane = new Lane(workspaceId, webhookId)
      this.#lanes.set(webhookId, lane)
    }
    if (this.#ctx.monotonicMs() < lane.restUntilMs) return
    lane.hasMore = true
    this.#schedule(lane)
    this.#pump()
    if (this.#pausing.has(lane)) this.#reviewPause(lane)
  }

  /** Called several times a second: pauses that ended, requests that turned out slow, idle lanes. */
  tick() {
    const now = this.#ctx.now()
    for (const lane of this.#pausing) {
      if (lane.notBefore && lane.notBefore > now) continue
      this.#pausing.delete(lane)
      this.#schedule(lane)
    }
    this.#slots.review()
    this.settler.retryRefused()
    this.#forgetIdleLanes()
    this.#pump()
  }

  /** Starts nothing more of these buckets and forgets them; what is under way, once it is written. */
  leave(buckets: number[]) {
    const leaving = new Set(buckets)
    for (const lane of this.#lanes.values()) {
      if (!leaving.has(lane.bucket)) continue
      this.#unread(lane)
      this.#unschedule(lane)
      if (lane.isIdle) this.#forget(lane)
    }
  }

  /** Resolves when nothing of these buckets is in flight or waiting to be written. */
  async drain(buckets: number[], withinMs: number) {
    const leaving = new Set(buckets)
    const untilMs = this.#ctx.monotonicMs() + withinMs
    const isFlying = () =>
      this.#lanes.values().some((lane) => lane.inFlight > 0 && leaving.has(lane.bucket))
    while (isFlying() && this.#ctx.monotonicMs() < untilMs) await this.#ctx.sleep(20)
    await this.settler.flush()
  }

  /** Puts a lane where its next step is done, if there is one. */
  #schedule(lane: Lane) {
    const { workspaceId } = lane
    if (lane.isForgotten) return
    if (!this.#options.holds(lane.bucket)) {
      this.#unread(lane)
      if (lane.isIdle) this.#forget(lane)
      return
    }
    if (lane.notBefore && lane.notBefore > this.#ctx.now()) {
      this.#unread(lane)
      this.#pausing.add(lane)
      return
    }
    if (lane.rows.length > 0 && lane.inFlight < lane.limit) {
      if (this.#reader.isTrusted(lane)) this.#ready[lane.pool].add(workspaceId, lane)
      else this.#refresh(lane)
    }
    if (lane.hasMore && !lane.reading && lane.rows.length <= rowsOfLaneMax / 4) {
      this.#toRead.add(workspaceId, lane)
    }
  }

  #unschedule(lane: Lane) {
    for (const queue of Object.values(this.#ready)) queue.delete(lane.workspaceId, lane)
    this.#toRead.delete(lane.workspaceId, lane)
    this.#pausing.delete(lane)
  }

  #pump() {
    while (this.#reads < readsMax && this.#bodyBytes < bodyBytesMax) {
      const lane = this.#toRead.take()
      if (!lane) break
      this.#beginRead(lane)
    }
    for (const pool of ['proven', 'trial', 'failing'] as const) {
      while (this.#slots.hasFree(pool) && !this.settler.isFull) {
        const lane = this.#ready[pool].take()
        if (!lane) break
        this.#sendNext(lane)
      }
    }
  }

  #beginRead(lane: Lane) {
    if (lane.reading) return
    lane.reading = true
    lane.hasMore = false
    this.#reads += 1
    this.#reader
      .readDue(lane)
      .then((rows) => this.#take(lane, rows))
      .catch((error) => {
        lane.hasMore = true
        this.#ctx.log.warn(describeError(error), 'a lane was not read and is read again')
        return this.#ctx.sleep(1_000)
      })
      .finally(() => {
        lane.endReading()
        this.#reads -= 1
        lane.usedAtMs = this.#ctx.monotonicMs()
        this.#schedule(lane)
        this.#pump()
      })
  }

  #take(lane: Lane, rows: DueDelivery[]) {
    if (!this.#options.holds(lane.bucket)) return
    for (const row of rows) {
      lane.taken.add(row.id)
      lane.rows.push(row)
      this.#bodyBytes += row.event.body.length
    }
  }

  /** Resuming a destination clears its row: the pause in memory ends with it. */
  #reviewPause(lane: Lane) {
    const nowMs = this.#ctx.monotonicMs()
    if (nowMs < lane.reviewAtMs) return
    lane.reviewAtMs = nowMs + pauseReviewEveryMs
    this.#reader
      .readHealth(lane)
      .then((health) => {
        if (health?.not_before) return
        lane.forgive()
        this.#pausing.delete(lane)
        this.#schedule(lane)
        this.#pump()
      })
      .catch((error) => this.#ctx.log.warn(describeError(error), 'a pause was not reviewed'))
  }

  #refresh(lane: Lane) {
    if (lane.refreshing) return
    lane.refreshing = true
    this.#reader
      .readDestination(lane)
      .catch((error) => {
        this.#ctx.log.warn(describeError(error), 'a destination was not read and is read again')
        return this.#ctx.sleep(1_000)
      })
      .finally(() => {
        lane.refreshing = false
        this.#schedule(lane)
        this.#pump()
      })
  }

  #sendNext(lane: Lane) {
    const row = lane.rows[0]
    const { destination } = lane
    if (!row || !destination || !this.#reader.isTrusted(lane) || lane.inFlight >= lane.limit) {
      this.#schedule(lane)
      return
    }
    if (!this.#options.holds(lane.bucket)) {
      this.#unread(lane)
      return
    }
    lane.rows.shift()
    lane.sends += 1
    lane.sendsLeft -= 1
    if (lane.sendsLeft <= sendsAhead) this.#refresh(lane)
    lane.inFlight += 1
    const flight = { lane, row, slot: this.#slots.take(lane.pool, lane.workspaceId) }
    this.#schedule(lane)
    this.#post(flight, destination).then(
      (outcome) => this.#answered(flight, destination.url, outcome),
      (error) => this.#notSent(flight, error),
    )
  }

  /** Whatever goes wrong in here, the delivery is read again. */
  async #post({ lane, row }: Flight, destination: OpenDestination): Promise<SentOutcome> {
    if (lane.isSuspicious) {
      await queries.markInFlight(this.#ctx.db, lane.workspaceId, lane.webhookId, row.id)
    }
    const outcome = await send(this.#ctx, 'deliveries', destination, row.event)
    if (outcome.kind === 'unsent') throw Object.assign(new Error(), { code: outcome.reason })
    return outcome
  }

  #answered(flight: Flight, url: string, outcome: SentOutcome) {
    const { lane, row } = flight
    const now = this.#ctx.now()
    this.#land(flight)
    const decision = decide(outcome, row, {
      delaysMs: this.#ctx.config.webhookRetryDelaysMs,
      now,
      random: this.#ctx.random(),
    })
    const retryAt = decision.kind === 'retry' ? decision.dueAt : null
    const health = healthOf(outcome)
    const laneNotBefore = lane.observe(health, now, retryAt)
    const clearsLane = health === 'ok' && lane.troubled
    lane.troubled = health !== 'ok'
    this.settler.add({
      attempt: {
        workspace_id: lane.workspaceId,
        id: this.#ctx.newId(),
        webhook_id: lane.webhookId,
        webhook_url: url,
        event_id: row.event.id,
        event_type: row.event.type,
        campaign_id: row.event.campaign_id,
        lead_email: row.event.lead_email,
        retry_group_id: row.id,
        retry_count: row.attempt,
        will_retry: decision.kind === 'retry',
        timestamp_next_retry: retryAt,
        ...judge(outcome),
      },
      place: row.place,
      clearsLane,
      laneNotBefore,
      disable: decision.kind === 'ended' ? decision.disable : null,
    })
    this.#schedule(lane)
    this.#pump()
  }

  /**
   * Nothing was on the wire, for a reason of ours: the row stays as it is and is read again. It keeps its
   * slot for a while, so that what this process lacks is not asked for at once.
   */
  async #notSent(flight: Flight, error: unknown) {
    this.#ctx.log.warn(describeError(error), 'a delivery was not attempted and is read again')
    this.#ctx.metrics.delivery('not_sent')
    await this.#ctx.sleep(1_000)
    this.#land(flight)
    flight.lane.taken.delete(flight.row.id)
    // It lies before what was read last.
    flight.lane.restartAtMs = 0
    flight.lane.hasMore = true
    this.#schedule(flight.lane)
    this.#pump()
  }

  #land(flight: Flight) {
    this.#slots.free(flight.slot)
    this.#bodyBytes -= flight.row.event.body.length
    flight.lane.inFlight -= 1
  }

  #settled(settlements: Settlement[], batch: SettledBatch) {
    for (const { attempt } of settlements) {
      const lane = this.#lanes.get(attempt.webhook_id)
      lane?.settled(attempt.retry_group_id)
      if (batch.get(attempt.retry_group_id)) this.#options.onAttempt?.(attempt)
      if (lane) this.#schedule(lane)
    }
    this.#pump()
  }

  #unread(lane: Lane) {
    for (const row of lane.rows) this.#bodyBytes -= row.event.body.length
    lane.drop()
  }

  #forgetIdleLanes() {
    if (this.#lanes.size <= idleLanesMax) return
    for (const lane of this.#lanes.values()) {
      if (this.#lanes.size <= idleLanesMax) return
      if (lane.isIdle && !this.#pausing.has(lane)) this.#forget(lane)
    }
  }

  #forget(lane: Lane) {
    this.#unschedule(lane)
    this.#lanes.delete(lane.webhookId)
    lane.isForgotten = true
  }
}
