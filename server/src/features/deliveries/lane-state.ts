import type { SlotPool } from '../../kernel/runner/slots.ts'
import type { Health } from './delivery.ts'

/**
 * The state of a lane: one destination in the memory of the runner that owns its bucket.
 *
 * What is known of the receiver (`poolOf`):
 * - trial: nothing has succeeded in time since this process met it. One request at a time.
 * - proven: starts at 4 requests in flight, one more with each success up to 16, half after an
 *   overload or a success whose answer was late.
 * - failing: 3 failures in a row. One probe at a time, with pauses from 5 s to 5 min between. A
 *   receiver that refuses an event is there: what it does take must not wait for what it does not.
 *
 * What a lane does next (`nextAction`), the first that applies:
 * - leave: its bucket belongs to another runner. What was read is forgotten, what is in flight ends.
 * - pause: it fails. What was read is forgotten until `notBefore`.
 * - work: sends what was read while it may have more in flight; reads its destination again when
 *   what is known of it is old; reads further rows when it has none left, or ahead while few are
 *   left of a proven one.
 *
 * A lane whose destination is disabled rests: it is not woken before `restUntilMs`.
 */
export interface LaneState {
  /** There may be due rows beyond what was read. */
  readonly hasMore: boolean
  readonly isReading: boolean
  /** Deliveries that were read and not sent yet. */
  readonly queued: number
  readonly inFlight: number
  /** Answered, and the result is not written yet. */
  readonly unsettled: number

  /** Of the destination as it was last read. */
  readonly version: number
  readonly isRefreshing: boolean
  /** Requests begun since this lane is in memory. */
  readonly sends: number
  /** How many requests may begin, and until when, before the destination has to be read again. */
  readonly sendsLeft: number
  readonly trustedUntilMs: number
  readonly restUntilMs: number

  readonly isProven: boolean
  readonly limit: number
  readonly failuresInRow: number
  readonly notBefore: Date | undefined
  readonly healthLoaded: boolean
  /** Failures or abandons stand against it in the database. */
  readonly hasHealthRow: boolean
  /** Leases that expired in a row while it had work. */
  readonly abandons: number
  /** The delivery that was in flight when the last owner died, while `abandons` is high. */
  readonly inFlightAtCrash: string | null
}

/** What the database says of a lane that failed before. */
export interface StoredHealth {
  not_before: Date | null
  failures: number
  abandons: number
  in_flight_id: string | null
}

export type LaneEvent =
  | { kind: 'woken'; nowMs: number }
  | { kind: 'read began' }
  | { kind: 'read ended'; queued: number; hasMore: boolean }
  | { kind: 'health loaded'; health: StoredHealth | undefined }
  /** By a later read. */
  | { kind: 'health seen'; health: StoredHealth | undefined }
  | { kind: 'suspect closed' }
  | { kind: 'refresh began' }
  | { kind: 'refresh ended' }
  /** @param sends of the lane when the destination was asked for, at `askedMs` */
  | { kind: 'destination read'; version: number; askedMs: number; sends: number }
  /** The destination is deleted, disabled, or not in the plan. */
  | { kind: 'destination closed'; version: number }
  | { kind: 'rests'; untilMs: number }
  | { kind: 'rows forgotten' }
  | { kind: 'sent' }
  /** Nothing was on the wire, for a reason of ours. */
  | { kind: 'not sent' }
  /** @param retryAt when the delivery is due again */
  | { kind: 'answered'; health: Health; now: Date; retryAt: Date | null }
  | { kind: 'settled' }
  | { kind: 'resumed' }

export type NextAction =
  | { kind: 'leave' }
  | { kind: 'pause' }
  | { kind: 'work'; sends: boolean; refreshes: boolean; reads: boolean }

export const newLane: LaneState = {
  ...{ hasMore: true, isReading: false, queued: 0, inFlight: 0, unsettled: 0 },
  ...{ version: 0, isRefreshing: false, sends: 0, sendsLeft: 0, trustedUntilMs: 0, restUntilMs: 0 },
  ...{ isProven: false, limit: 1, failuresInRow: 0, notBefore: undefined },
  ...{ healthLoaded: false, hasHealthRow: false, abandons: 0, inFlightAtCrash: null },
}

/** Rows of one lane in one read. */
export const rowsOfReadMax = 64
/** … while it sends one request at a time: a second row tells whether there are more. */
export const rowsOneByOne = 2
/** A destination that was deleted or disabled, or lost its plan, is noticed within so many sends. */
const sendsPerDestinationRead = 64
/** … or so long. */
const destinationTrustedMs = 1_000
/** A destination is read again so many sends ahead, so that the lane need not stop for the answer. */
const sendsAhead = 32
const limitMax = 16
const limitStart = 4
const failingFrom = 3
const pauseMinMs = 5_000
const pauseMaxMs = 300_000
/** Abandons in a row after which a lane's requests are marked and sent one by one. */
const abandonsMax = 3

export const sendsOneByOne = (lane: LaneState) => lane.abandons >= abandonsMax

export function poolOf(lane: LaneState): SlotPool {
  if (lane.failuresInRow >= failingFrom) return 'failing'
  return lane.isProven ? 'proven' : 'trial'
}

/** Nothing of it is in memory, in flight or being written. */
export const isIdle = (lane: LaneState) =>
  lane.inFlight + lane.queued + lane.unsettled === 0 && !lane.isReading && !lane.isRefreshing

/** A lane with one request at a time needs no rows ahead: while it hangs, they would be read in vain. */
const rowsAhead = (lane: LaneState) => (poolOf(lane) === 'proven' ? rowsOfReadMax / 4 : 0)

/** Whether requests may begin without reading the destination again. */
const isTrusted = (lane: LaneState, nowMs: number) =>
  lane.sendsLeft > 0 && nowMs < lane.trustedUntilMs

/** @param now is asked for a lane with a pause only: this is asked several times for each delivery */
export function nextAction(
  lane: LaneState,
  { now, nowMs, isOurs }: { now: () => Date; nowMs: number; isOurs: boolean },
): NextAction {
  if (!isOurs) return { kind: 'leave' }
  if (lane.notBefore && lane.notBefore > now()) return { kind: 'pause' }
  const canSend = lane.queued > 0 && lane.inFlight < (sendsOneByOne(lane) ? 1 : lane.limit)
  const trusted = isTrusted(lane, nowMs)
  const isOld = trusted ? lane.queued > 0 && lane.sendsLeft <= sendsAhead : canSend
  return {
    kind: 'work',
    sends: canSend && trusted,
    // A read that is under way brings the destination along.
    refreshes: isOld && !lane.isRefreshing && !lane.isReading,
    reads: lane.hasMore && !lane.isReading && lane.queued <= rowsAhead(lane),
  }
}

/** The lane after an event. Pure. */
export function laneAfter(lane: LaneState, event: LaneEvent): LaneState {
  switch (event.kind) {
    case 'woken':
      return event.nowMs < lane.restUntilMs ? lane : { ...lane, hasMore: true }
    case 'read began':
      return { ...lane, isReading: true, hasMore: false }
    case 'read ended':
      return {
        ...lane,
        isReading: false,
        queued: lane.queued + event.queued,
        hasMore: lane.hasMore || event.hasMore,
      }
    case 'health loaded':
      return withHealth(lane, event.health)
    case 'health seen':
      // A standby that took over, or a restore, holds counts that this process does not know of. What it
      // knows of may have been read before it was cleared: then it is cleared once more.
      return { ...lane, hasHealthRow: lane.hasHealthRow || hasCounts(event.health) }
    case 'suspect closed':
      return { ...lane, inFlightAtCrash: null }
    case 'refresh began':
      return { ...lane, isRefreshing: true }
    case 'refresh ended':
      return { ...lane, isRefreshing: false }
    case 'destination read':
      return {
        ...lane,
        version: event.version,
        sendsLeft: sendsPerDestinationRead - (lane.sends - event.sends),
        // The destination is as it was when the read began, however long that took.
        trustedUntilMs: event.askedMs + destinationTrustedMs,
      }
    case 'destination closed':
      // A read that is under way may still bring rows: they are not sent until the next one.
      return {
        ...lane,
        version: event.version,
        sendsLeft: 0,
        restUntilMs: 0,
        queued: 0,
        hasMore: false,
      }
    case 'rests':
      return { ...lane, restUntilMs: event.untilMs }
    case 'rows forgotten':
      return { ...lane, queued: 0, hasMore: true }
    case 'sent':
      return {
        ...lane,
        queued: lane.queued - 1,
        inFlight: lane.inFlight + 1,
        sends: lane.sends + 1,
        sendsLeft: lane.sendsLeft - 1,
      }
    case 'not sent':
      return { ...lane, inFlight: lane.inFlight - 1, hasMore: true }
    case 'answered':
      return afterAnswer(lane, event)
    case 'settled':
      return { ...lane, unsettled: lane.unsettled - 1 }
    case 'resumed':
      return { ...lane, failuresInRow: 0, notBefore: undefined }
  }
}

/**
 * Takes over the failures that an earlier owner has stored. Those of a lane without a pause are no failures
 * in a row: what it refused is counted as well.
 */
function withHealth(lane: LaneState, health: StoredHealth | undefined): LaneState {
  if (!health) return { ...lane, healthLoaded: true }
  return {
    ...lane,
    healthLoaded: true,
    failuresInRow: health.not_before ? health.failures : 0,
    notBefore: health.not_before ?? undefined,
    abandons: health.abandons,
    inFlightAtCrash: health.in_flight_id,
    hasHealthRow: hasCounts(health),
  }
}

const hasCounts = (health: StoredHealth | undefined) =>
  health !== undefined &&
  (health.failures > 0 || health.abandons > 0 || health.in_flight_id !== null)

function afterAnswer(
  before: LaneState,
  { health, now, retryAt }: Extract<LaneEvent, { kind: 'answered' }>,
): LaneState {
  const lane = { ...before, inFlight: before.inFlight - 1, unsettled: before.unsettled + 1 }
  const halfLimit = Math.max(1, lane.limit >> 1)
  if (health === 'ok' || health === 'late') {
    const startsOver = poolOf(lane) !== 'proven'
    const moreLimit = startsOver ? limitStart : Math.min(limitMax, lane.limit + 1)
    return {
      ...lane,
      isProven: lane.isProven || health === 'ok',
      limit: health === 'ok' ? moreLimit : halfLimit,
      failuresInRow: 0,
      notBefore: undefined,
      abandons: 0,
      inFlightAtCrash: null,
      hasHealthRow: false,
    }
  }
  if (health === 'refused') {
    return { ...lane, failuresInRow: 0, notBefore: undefined, hasHealthRow: true }
  }
  const failuresInRow = lane.failuresInRow + 1
  const limit = health === 'overloaded' ? halfLimit : lane.limit
  if (failuresInRow < failingFrom) return { ...lane, failuresInRow, limit, hasHealthRow: true }
  const pauseMs = Math.min(pauseMaxMs, pauseMinMs * 2 ** (failuresInRow - failingFrom))
  const resume = new Date(now.getTime() + pauseMs)
  return {
    ...lane,
    failuresInRow,
    hasHealthRow: true,
    isProven: false,
    limit: 1,
    // The due time of the failed delivery is a promise: the pause ends by then.
    notBefore: retryAt && retryAt < resume ? retryAt : resume,
  }
}
