import { bucketOf } from '../../kernel/runner/leases.ts'
import type { Pool } from '../../kernel/runner/slots.ts'
import type { DueDelivery, Health } from './delivery.ts'
import type { LaneHealth, Position } from './queries.ts'
import type { OpenDestination } from './send.ts'

const concurrencyMax = 16
const concurrencyStart = 4
/** Failures in a row that make a lane a failing one. */
const failingFrom = 3
const pauseMinMs = 5_000
const pauseMaxMs = 300_000
/** Expired leases in a row, with work of the lane due, after which its requests are marked one by one. */
const abandonsMax = 3

export const start: Position = {
  due_at: '-infinity',
  id: '00000000-0000-0000-0000-000000000000',
}

/**
 * One destination in the memory of the runner that owns its bucket.
 *
 * Trial: nothing has succeeded since this process met it; one request at a time, from slots of its
 * own. Proven: starts at 4 in flight, one more with each success up to 16, half after an overload.
 * Failing: 3 failures in a row; one probe at a time, with pauses from 5 s to 5 min between.
 */
export class Lane {
  readonly workspaceId: string
  readonly webhookId: string
  readonly bucket: number
  /** Read and not sent yet, in due order. */
  readonly rows: DueDelivery[] = []
  /** Read, in flight or being settled: what a read from the start must skip. */
  readonly taken = new Set<string>()
  readonly #settledWhileReading = new Set<string>()
  position: Position = start
  /** There may be due rows beyond what was read. */
  hasMore = true
  reading = false
  inFlight = 0
  restartAtMs = 0
  usedAtMs = 0
  destination: OpenDestination | undefined
  /** Of the destination as it was last read. */
  version = 0
  /** Ever made. */
  sends = 0
  /** Sends left, and until when, before the destination is read again. */
  sendsLeft = 0
  trustedUntilMs = 0
  refreshing = false
  /** Another lane may stand for the destination by now. */
  isForgotten = false
  backlogCheckAtMs = 0
  expiryCheckAtMs = 0
  /** A disabled destination is not asked about at every wake-up. */
  restUntilMs = 0
  /** Failures and abandons stand against it in the database. */
  troubled = false
  abandons = 0
  /** The delivery that was in flight when the last owner died, while `abandons` is high. */
  suspect: string | null = null
  healthKnown = false
  /** When a pause is next held against the database: a person may have resumed the destination. */
  reviewAtMs = 0
  notBefore: Date | undefined
  #proven = false
  #limit = 1
  #consecutiveFailures = 0

  constructor(workspaceId: string, webhookId: string) {
    this.workspaceId = workspaceId
    this.webhookId = webhookId
    this.bucket = bucketOf(webhookId)
  }

  get pool(): Pool {
    if (this.#consecutiveFailures >= failingFrom) return 'failing'
    return this.#proven ? 'proven' : 'trial'
  }

  get limit(): number {
    return this.isSuspicious ? 1 : this.#limit
  }

  get isSuspicious(): boolean {
    return this.abandons >= abandonsMax
  }

  get isIdle(): boolean {
    const isAsking = this.reading || this.refreshing
    return this.inFlight === 0 && this.rows.length === 0 && this.taken.size === 0 && !isAsking
  }

  adopt(health: LaneHealth | undefined) {
    this.healthKnown = true
    if (!health) return
    this.#consecutiveFailures = health.consecutive_failures
    this.notBefore = health.not_before ?? undefined
    this.abandons = health.abandons
    this.suspect = health.in_flight_id
    this.troubled = health.failures > 0 || health.abandons > 0 || health.in_flight_id !== null
  }

  /** A person resumed the destination: what it did before no longer counts. */
  forgive() {
    this.#consecutiveFailures = 0
    this.notBefore = undefined
  }

  /** @returns when a failing lane may be asked again */
  observe(health: Health, now: Date, retryAt: Date | null): Date | null {
    if (health === 'ok') {
      if (this.#consecutiveFailures >= failingFrom || !this.#proven) this.#limit = concurrencyStart
      else this.#limit = Math.min(concurrencyMax, this.#limit + 1)
      this.#proven = true
      this.#consecutiveFailures = 0
      this.notBefore = undefined
      this.abandons = 0
      this.suspect = null
      return null
    }
    if (health === 'overloaded') this.#limit = Math.max(1, this.#limit >> 1)
    this.#consecutiveFailures += 1
    if (this.#consecutiveFailures < failingFrom) return null
    this.#limit = 1
    this.#proven = false
    const pauseMs = Math.min(
      pauseMaxMs,
      pauseMinMs * 2 ** (this.#consecutiveFailures - failingFrom),
    )
    const resume = new Date(now.getTime() + pauseMs)
    // The failed delivery has a due time of its own, which is a promise: the lane is awake by then.
    this.notBefore = retryAt && retryAt < resume ? retryAt : resume
    return this.notBefore
  }

  /** A read that is under way may have seen the row as it was before: it skips this one too. */
  settled(id: string) {
    if (this.reading) this.#settledWhileReading.add(id)
    else this.taken.delete(id)
  }

  wasSettledWhileReading(id: string): boolean {
    return this.#settledWhileReading.has(id)
  }

  endReading() {
    this.reading = false
    for (const id of this.#settledWhileReading) this.taken.delete(id)
    this.#settledWhileReading.clear()
  }

  /** Forgets what was read; the rows are still in the database. */
  drop() {
    for (const row of this.rows) this.taken.delete(row.id)
    this.rows.length = 0
    this.position = start
    this.hasMore = true
  }
}
