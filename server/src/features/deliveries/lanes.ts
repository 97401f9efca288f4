import type { ProcessContext } from '../../kernel/context.ts'
import { bind } from '../../kernel/db/db.ts'
import { describeError } from '../../kernel/log.ts'
import type { PostOutcome, SentOutcome } from '../../kernel/outbound/index.ts'
import { bucketOf } from '../../kernel/runner/leases.ts'
import { tellFailures } from '../../kernel/runner/loop.ts'
import { type Slot, Slots } from '../../kernel/runner/slots.ts'
import type { OpenDestination } from '../webhooks/index.ts'
import { assess } from './assess.ts'
import { type Attempt, attemptOf, type DueDelivery } from './delivery.ts'
import { Lane } from './lane.ts'
import { markInFlight, unmarkInFlight } from './lane-queries.ts'
import { LaneQueues, pools } from './lane-queues.ts'
import { type FoundRows, LaneReader } from './lane-reader.ts'
import { isIdle, nextAction, poolOf, sendsOneByOne } from './lane-state.ts'
import { send } from './send.ts'
import { type SettledBatch, type Settlement, SettleWriter } from './settle.ts'
import { provenMin, slotLimits } from './slot-limits.ts'

export interface LanesOptions {
  countStripe: number
  /** Whether this runner may still start requests of a bucket; `nowMs` is the time, if it was read. */
  holds: (bucket: number, nowMs?: number) => boolean
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

/** Why nothing left this process. */
type Unsent = Pick<Extract<PostOutcome, { kind: 'unsent' }>, 'kind' | 'reason'>

/** Lanes that are being read at once; those of a workspace share statements. */
const readsMax = 64
const idleLanesMax = 20_000
/** What failed for a reason of this process is not tried again at once: it may lack the same still. */
const againAfterMs = 1_000
const drainedCheckMs = 20

/**
 * The lanes of this runner's buckets. `wake` says that a lane may have due work; everything else
 * follows from it: read, send, settle, read on. What a lane does next is decided by its state alone
 * (`lane-state.ts`); this does it. No lane waits for another but for slots, and those are handed out
 * in turn by workspace, then by lane.
 */
export class Lanes {
  readonly settler: SettleWriter
  readonly #ctx: ProcessContext
  readonly #options: LanesOptions
  readonly #lanes = new Map<string, Lane>()
  readonly #queues = new LaneQueues()
  readonly #pausing = new Set<Lane>()
  readonly #reader: LaneReader
  readonly #slots: Slots
  readonly #readFailures: ReturnType<typeof tellFailures>
  #reads = 0

  constructor(ctx: ProcessContext, options: LanesOptions) {
    this.#ctx = ctx
    this.#options = options
    this.#readFailures = tellFailures(ctx, 'lanes')
    this.#reader = new LaneReader(ctx, options, {
      forgetRows: (lane) => this.#forgetRows(lane),
      isFull: () => this.#queues.isFull,
    })
    const adaptive = { min: provenMin, busyShare: options.busyShare ?? (() => 0) }
    this.#slots = new Slots(ctx, { ...slotLimits, adaptive })
    this.settler = new SettleWriter(ctx, options.countStripe, (settlements, batch) =>
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
    for (const { state } of this.#lanes.values()) if (state.hasMore || !isIdle(state)) count += 1
    return count
  }

  wake(workspaceId: string, webhookId: string) {
    if (!this.#options.holds(bucketOf(webhookId))) return
    let lane = this.#lanes.get(webhookId)
    if (!lane) {
      lane = new Lane(workspaceId, webhookId)
      this.#lanes.set(webhookId, lane)
    }
    lane.apply({ kind: 'woken', nowMs: this.#ctx.monotonicMs() })
    this.#schedule(lane)
    this.#pump()
    if (!this.#pausing.has(lane)) return
    this.#reviewPause(lane)
    this.#limitBacklog(lane)
  }

  /** Called several times a second: pauses that ended, requests that turned out slow, idle lanes. */
  tick() {
    for (const lane of this.#pausing) this.#schedule(lane)
    this.#slots.review()
    this.settler.retryAside()
    this.#forgetIdleLanes()
    this.#pump()
  }

  /** Starts no request of these buckets any more. Forgets their lanes when their results are written. */
  leave(buckets: number[]) {
    const leaving = new Set(buckets)
    for (const lane of this.#lanes.values()) if (leaving.has(lane.bucket)) this.#leave(lane)
  }

  /**
   * Resolves when nothing of these buckets is in flight or being written, or the time is over. What is
   * set aside is not waited for: nobody knows how long that takes.
   */
  async drain(buckets: number[], withinMs: number) {
    const leaving = new Set(buckets)
    const untilMs = this.#ctx.monotonicMs() + withinMs
    const isWriting = ({ state, webhookId }: Lane) =>
      state.unsettled > 0 && state.unsettled > this.settler.countAside(webhookId)
    const isBusy = () =>
      this.#lanes
        .values()
        .some((lane) => leaving.has(lane.bucket) && (lane.state.inFlight > 0 || isWriting(lane)))
    while (isBusy() && this.#ctx.monotonicMs() < untilMs) await this.#ctx.sleep(drainedCheckMs)
    const hanging = [...this.#lanes.values()].filter(
      (lane) => leaving.has(lane.bucket) && lane.state.inFlight > 0,
    )
    await Promise.all(hanging.map((lane) => this.#unmark(lane)))
  }

  #nextAction(lane: Lane) {
    const { now, monotonicMs } = this.#ctx
    const nowMs = monotonicMs()
    return nextAction(lane.state, { now, nowMs, isOurs: this.#options.holds(lane.bucket, nowMs) })
  }

  /** Queues a lane for what it does next, if there is something. */
  #schedule(lane: Lane) {
    // The destination may have another lane in memory by now.
    if (this.#lanes.get(lane.webhookId) !== lane) return
    const next = this.#nextAction(lane)
    if (next.kind === 'leave') {
      this.#leave(lane)
      return
    }
    if (next.kind === 'pause') {
      // Rows that a read has brought during the pause are forgotten, too.
      if (lane.state.queued > 0 || !this.#pausing.has(lane)) this.#forgetRows(lane)
      this.#pausing.add(lane)
      return
    }
    this.#pausing.delete(lane)
    if (next.refreshes) this.#refresh(lane)
    this.#queues.add(lane, next)
  }

  #pump() {
    while (this.#reads < readsMax) {
      const lane = this.#queues.takeToRead()
      if (!lane) break
      void this.#read(lane)
    }
    for (const pool of pools) {
      while (this.#slots.hasFree(pool) && !this.settler.isFull) {
        const lane = this.#queues.takeReady(pool)
        if (!lane) break
        this.#sendNext(lane)
      }
    }
  }

  async #read(lane: Lane) {
    const next = this.#nextAction(lane)
    if (next.kind !== 'work' || !next.reads) return
    lane.apply({ kind: 'read began' })
    this.#reads += 1
    let found: FoundRows = { rows: [], hasMore: true }
    try {
      found = await this.#reader.readDue(lane)
      this.#readFailures.end()
    } catch (error) {
      const ids = { workspace_id: lane.workspaceId, webhook_id: lane.webhookId }
      this.#readFailures.tell(error, ids)
      await this.#ctx.sleep(againAfterMs)
    }
    const rows = this.#options.holds(lane.bucket) ? found.rows : []
    this.#queues.keep(rows)
    lane.take(rows, found.hasMore)
    this.#reads -= 1
    this.#schedule(lane)
    this.#pump()
  }

  /** A person who resumes a destination clears its stored health; then the pause in memory ends, too. */
  #reviewPause(lane: Lane) {
    // The failure that made it pause may not be written yet.
    if (lane.state.unsettled > 0 || !lane.isTimeTo('pause', this.#ctx.monotonicMs())) return
    this.#reader
      .readHealth(lane)
      .then((health) => {
        if (health?.not_before) return
        lane.apply({ kind: 'resumed' })
        this.#schedule(lane)
        this.#pump()
      })
      .catch((error) => this.#ctx.log.warn(describeError(error), 'a pause was not reviewed'))
  }

  /** A destination gets events during its pause, too. A read would bring what is being closed. */
  #limitBacklog(lane: Lane) {
    if (lane.state.isReading || !lane.isTimeTo('backlog', this.#ctx.monotonicMs())) return
    lane.apply({ kind: 'read began' })
    this.#reader
      .closeBacklog(lane)
      .catch((error) => this.#ctx.log.warn(describeError(error), 'a backlog was not limited'))
      .finally(() => {
        lane.take([], true)
        this.#schedule(lane)
        this.#pump()
      })
  }

  #refresh(lane: Lane) {
    lane.apply({ kind: 'refresh began' })
    this.#reader
      .refreshDestination(lane)
      .catch((error) => {
        this.#ctx.log.warn(describeError(error), 'a destination was not read and is read again')
        return this.#ctx.sleep(againAfterMs)
      })
      .finally(() => {
        lane.apply({ kind: 'refresh ended' })
        this.#schedule(lane)
        this.#pump()
      })
  }

  #sendNext(lane: Lane) {
    const next = this.#nextAction(lane)
    const { destination } = lane
    const pool = poolOf(lane.state)
    const row = next.kind === 'work' && next.sends && destination && lane.takeNext()
    if (!row || !destination) {
      this.#schedule(lane)
      return
    }
    const flight = { lane, row, slot: this.#slots.take(pool, lane.workspaceId) }
    this.#schedule(lane)
    this.#post(flight, destination).then(
      (outcome) =>
        outcome.kind === 'unsent'
          ? this.#notSent(flight, { reason: outcome.reason })
          : this.#answered(flight, destination.url, outcome),
      (error) => this.#notSent(flight, describeError(error)),
    )
  }

  /** When it rejects, nothing was sent, and the delivery is read again. */
  async #post({ lane, row }: Flight, destination: OpenDestination): Promise<SentOutcome | Unsent> {
    if (sendsOneByOne(lane.state)) {
      const { workspaceId, webhookId } = lane
      lane.markedId = row.id
      await markInFlight(bind(this.#ctx.db, workspaceId), workspaceId, webhookId, row.id)
      // The database may have taken longer to answer than the lease lasts.
      if (!this.#options.holds(lane.bucket)) return { kind: 'unsent', reason: 'the lease was lost' }
    }
    return await send(this.#ctx, 'deliveries', destination, row.event)
  }

  /** Its request has ended no process: the next owner would take it for the one that did. */
  async #unmark({ workspaceId, webhookId, markedId }: Lane) {
    if (markedId === undefined) return
    const db = bind(this.#ctx.db, workspaceId)
    await unmarkInFlight(db, workspaceId, webhookId, markedId).catch((error) =>
      this.#ctx.log.warn(describeError(error), 'a request stays marked that has ended no process'),
    )
  }

  #answered(flight: Flight, url: string, outcome: SentOutcome) {
    const { lane, row } = flight
    const now = this.#ctx.now()
    this.#land(flight)
    const { result, decision, health } = assess(outcome, row, {
      delaysMs: this.#ctx.config.webhookRetryDelaysMs,
      now,
      random: this.#ctx.random(),
    })
    const retryAt = decision.kind === 'retry' ? decision.dueAt : null
    const clearsLane = result.success && lane.state.hasHealthRow
    lane.apply({ kind: 'answered', health, now, retryAt })
    const place = {
      ...{ workspace_id: lane.workspaceId, webhook_id: lane.webhookId, webhook_url: url },
      ...{ retry_group_id: row.id, retry_count: row.attempt, timestamp_next_retry: retryAt },
    }
    this.settler.add({
      attempt: attemptOf(this.#ctx, place, row.event, result),
      clearsLane,
      laneNotBefore: poolOf(lane.state) === 'failing' ? (lane.state.notBefore ?? null) : null,
      disable: decision.kind === 'ended' ? decision.disable : null,
    })
    this.#schedule(lane)
    this.#pump()
  }

  /**
   * Nothing was sent, for a reason of this process: the row stays as it is and is read again. The slot
   * is kept for a second, so that what this process lacks is not needed again at once.
   */
  async #notSent(flight: Flight, why: Record<string, unknown>) {
    this.#ctx.log.warn(why, 'a delivery was not attempted and is read again')
    this.#ctx.metrics.delivery('not_sent')
    await this.#ctx.sleep(againAfterMs)
    await this.#unmark(flight.lane)
    this.#land(flight)
    flight.lane.notSent(flight.row.id)
    this.#schedule(flight.lane)
    this.#pump()
  }

  #land(flight: Flight) {
    this.#slots.free(flight.slot)
    this.#queues.letGo([flight.row])
  }

  #settled(settlements: Settlement[], batch: SettledBatch) {
    const lanes = new Set<Lane>()
    for (const { attempt } of settlements) {
      const lane = this.#lanes.get(attempt.webhook_id)
      lane?.settled(attempt.retry_group_id)
      const recorded = batch.get(attempt.retry_group_id)
      if (recorded) this.#options.onAttempt?.(recorded)
      if (lane) lanes.add(lane)
    }
    for (const lane of lanes) this.#schedule(lane)
    this.#pump()
  }

  #forgetRows(lane: Lane) {
    this.#queues.letGo(lane.forgetRows())
  }

  #leave(lane: Lane) {
    this.#queues.delete(lane)
    this.#pausing.delete(lane)
    this.#forgetRows(lane)
    if (isIdle(lane.state)) this.#lanes.delete(lane.webhookId)
  }

  #forgetIdleLanes() {
    if (this.#lanes.size <= idleLanesMax) return
    for (const lane of this.#lanes.values()) {
      if (this.#lanes.size <= idleLanesMax) return
      if (isIdle(lane.state) && !this.#pausing.has(lane)) this.#leave(lane)
    }
  }
}
