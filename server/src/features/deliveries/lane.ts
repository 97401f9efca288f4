import { nilId } from '../../kernel/ids.ts'
import { bucketOf } from '../../kernel/runner/leases.ts'
import type { OpenDestination } from '../webhooks/index.ts'
import type { DueDelivery } from './delivery.ts'
import type { Position } from './lane-queries.ts'
import {
  type LaneEvent,
  type LaneState,
  laneAfter,
  newLane,
  poolOf,
  rowsOfReadMax,
  rowsOneByOne,
} from './lane-state.ts'

export const beforeAllRows: Position = {
  due_at: '-infinity',
  id: nilId,
}

/** Checks of a lane that are made at most once in so long, in milliseconds. */
const checkEveryMs = {
  /** Read from the start: rows that were committed late are before the position. */
  start: 5_000,
  /** Close the deliveries beyond the limit of a destination. */
  backlog: 60_000,
  /** Close what expired while the destination was disabled. */
  expiry: 60_000,
  /** Look whether a person has resumed a destination that pauses. */
  pause: 5_000,
}

/** A lane's state (`lane-state.ts`) with its deliveries, read position and opened destination. */
export class Lane {
  readonly workspaceId: string
  readonly webhookId: string
  readonly bucket: number
  /** The delivery that this process marked last as in flight, where requests seem to end processes. */
  markedId: string | undefined
  #state: LaneState = newLane
  /** In due order. */
  readonly #rows: DueDelivery[] = []
  /** Read, in flight or being settled: what a read from the start must skip. */
  readonly #taken = new Set<string>()
  readonly #settledWhileReading = new Set<string>()
  readonly #checkAtMs = new Map<keyof typeof checkEveryMs, number>()
  #position: Position = beforeAllRows
  /** The read that ended there brought nothing to send. */
  #isPassingOver = false
  #destination: OpenDestination | undefined
  /** Reads of the destination that began, and how many had when one was adopted last. */
  #reads = 0
  #readsAtAdoption = 0

  constructor(workspaceId: string, webhookId: string) {
    this.workspaceId = workspaceId
    this.webhookId = webhookId
    this.bucket = bucketOf(webhookId)
  }

  get state(): LaneState {
    return this.#state
  }

  /** Where the next read begins. */
  get position(): Position {
    return this.#position
  }

  /** Undefined until it was read, and while nothing is to be sent. */
  get destination(): OpenDestination | undefined {
    return this.#destination
  }

  /** Version of the destination that is open; 0: there is none, or its older secret has ended. */
  versionAt(now: Date): number {
    if (!this.#destination) return 0
    const { until } = this.#destination
    return until === null || until > now ? this.#state.version : 0
  }

  apply(event: LaneEvent) {
    this.#state = laneAfter(this.#state, event)
  }

  /** Whether a check is due, which then counts as made. */
  isTimeTo(check: keyof typeof checkEveryMs, nowMs: number): boolean {
    if (nowMs < (this.#checkAtMs.get(check) ?? 0)) return false
    this.#checkAtMs.set(check, nowMs + checkEveryMs[check])
    return true
  }

  makeDue(check: keyof typeof checkEveryMs) {
    this.#checkAtMs.delete(check)
  }

  /** @param found how many of the rows before it can be sent */
  setPosition(position: Position, found = 0) {
    this.#position = position
    this.#isPassingOver = found === 0 && position !== beforeAllRows
  }

  /**
   * How many rows the next read may bring. While requests are made one at a time few do: what a
   * receiver that hangs cannot get would be kept in vain. Rows that cannot be sent are passed over in
   * large steps.
   */
  get rowsWanted(): number {
    const isProven = poolOf(this.#state) === 'proven'
    return isProven || this.#isPassingOver ? rowsOfReadMax : rowsOneByOne
  }

  setDestination(destination: OpenDestination | undefined) {
    this.#destination = destination
  }

  /** @returns the number of a read of the destination that begins now */
  beginRead(): number {
    this.#reads += 1
    return this.#reads
  }

  /** Whether this read began after the answer of the one that was adopted last: it is not older. */
  isNewer(read: number): boolean {
    return read > this.#readsAtAdoption
  }

  noteAdoption() {
    this.#readsAtAdoption = this.#reads
  }

  /** Ends a read with what it has brought. */
  take(rows: DueDelivery[], hasMore: boolean) {
    for (const id of this.#settledWhileReading) this.#taken.delete(id)
    this.#settledWhileReading.clear()
    for (const row of rows) {
      this.#taken.add(row.id)
      this.#rows.push(row)
    }
    this.apply({ kind: 'read ended', queued: rows.length, hasMore })
  }

  /** The delivery to send now. */
  takeNext(): DueDelivery | undefined {
    const row = this.#rows.shift()
    if (row) this.apply({ kind: 'sent' })
    return row
  }

  get takenCount(): number {
    return this.#taken.size
  }

  hasTaken(id: string): boolean {
    return this.#taken.has(id)
  }

  /** A read that is under way may have seen the row as it was before, so it must skip it as well. */
  settled(id: string) {
    if (!this.#taken.has(id) || this.#settledWhileReading.has(id)) return
    if (this.#state.isReading) this.#settledWhileReading.add(id)
    else this.#taken.delete(id)
    this.apply({ kind: 'settled' })
  }

  wasSettledWhileReading(id: string): boolean {
    return this.#settledWhileReading.has(id)
  }

  /** The row is unchanged and before the read position: the next read starts over and finds it. */
  notSent(id: string) {
    this.#taken.delete(id)
    this.makeDue('start')
    this.apply({ kind: 'not sent' })
  }

  /**
   * Forgets what was read; the rows are still in the database.
   *
   * @returns what was forgotten
   */
  forgetRows(): DueDelivery[] {
    const rows = this.#rows.splice(0)
    for (const row of rows) this.#taken.delete(row.id)
    this.setPosition(beforeAllRows)
    this.apply({ kind: 'rows forgotten' })
    return rows
  }
}
