import { describe, expect, test } from 'vitest'
import type { Health } from './delivery.ts'
import { beforeAllRows, Lane } from './lane.ts'
import {
  isIdle,
  type LaneEvent,
  type LaneState,
  laneAfter,
  newLane,
  nextAction,
  poolOf,
  rowsOfReadMax,
  rowsOneByOne,
  sendsOneByOne,
} from './lane-state.ts'

const now = new Date('2026-11-20T12:00:00Z')
const play = (events: LaneEvent[], lane: LaneState = newLane) => events.reduce(laneAfter, lane)
const next = (lane: LaneState, at: { now?: Date; nowMs?: number; isOurs?: boolean } = {}) =>
  nextAction(lane, { nowMs: 0, isOurs: true, ...at, now: () => at.now ?? now })

const read = (queued: number, hasMore = false): LaneEvent[] => [
  { kind: 'read began' },
  { kind: 'health loaded', health: undefined },
  { kind: 'destination read', version: 1, askedMs: 0, sends: 0 },
  { kind: 'read ended', queued, hasMore },
]
const answered = (health: Health, retryAt: Date | null = null): LaneEvent[] => [
  { kind: 'sent' },
  { kind: 'answered', health, now, retryAt },
  { kind: 'settled' },
]
const times = (count: number, events: LaneEvent[]) =>
  Array.from({ length: count }, () => events).flat()

describe('how many requests a receiver gets', () => {
  test('an unknown destination is tried with one request, a good one gets up to 16', () => {
    expect([poolOf(newLane), newLane.limit]).toEqual(['trial', 1])
    const met = play(answered('ok'))
    expect([poolOf(met), met.limit]).toEqual(['proven', 4])
    expect(play(times(20, answered('ok')), met).limit).toBe(16)
  })

  test('an overload halves what is in flight', () => {
    const lane = play([...times(20, answered('ok')), ...answered('overloaded')])
    expect([poolOf(lane), lane.limit]).toEqual(['proven', 8])
  })

  test('a late success halves what is in flight, ends failures as any success, and proves nothing', () => {
    const proven = play(times(4, answered('ok')))
    const slowed = play(times(10, answered('late')), proven)
    expect([poolOf(slowed), slowed.limit, slowed.notBefore]).toEqual(['proven', 1, undefined])
    const back = play([...times(10, answered('failed')), ...answered('late')])
    expect([poolOf(back), back.limit, back.notBefore]).toEqual(['trial', 1, undefined])
    expect([back.failuresInRow, back.hasHealthRow]).toEqual([0, false])
  })

  test('three failures in a row make it a failing one: one probe, with doubling pauses to 5 min', () => {
    let lane = play(times(2, answered('failed')))
    expect(poolOf(lane)).toBe('trial')
    const pauses = Array.from({ length: 8 }, () => {
      lane = play(answered('failed'), lane)
      return ((lane.notBefore?.getTime() ?? 0) - now.getTime()) / 1000
    })
    expect([poolOf(lane), lane.limit]).toEqual(['failing', 1])
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 300, 300])
  })

  test('its pause never outlasts the promised time of the delivery that failed', () => {
    const promised = new Date(now.getTime() + 1_500)
    expect(play(times(10, answered('failed', promised))).notBefore).toEqual(promised)
  })

  test('one that refuses events gets as many requests as before, without a pause', () => {
    const proven = play(times(4, answered('ok')))
    const refusing = play(times(10, answered('refused')), proven)
    expect([poolOf(refusing), refusing.limit, refusing.notBefore]).toEqual(['proven', 7, undefined])
    expect(refusing.hasHealthRow).toBe(true)
    const back = play([...times(10, answered('failed')), ...answered('refused')])
    expect([poolOf(back), back.limit, back.notBefore]).toEqual(['trial', 1, undefined])
  })

  test('one success ends the pause and starts over with 4', () => {
    const lane = play([...times(10, answered('failed')), ...answered('ok')])
    expect([poolOf(lane), lane.limit, lane.notBefore]).toEqual(['proven', 4, undefined])
  })

  test('what a dead runner left in the database counts, until a success', () => {
    const health = {
      ...{ not_before: now, failures: 9, abandons: 3, in_flight_id: null },
    }
    const lane = play([{ kind: 'health loaded', health }])
    expect([poolOf(lane), sendsOneByOne(lane), lane.hasHealthRow]).toEqual(['failing', true, true])
    const better = play(answered('ok'), lane)
    expect([sendsOneByOne(better), better.hasHealthRow]).toEqual([false, false])
  })

  test('what only the database knows of counts until a success, too, and makes no failing one of it', () => {
    const health = { not_before: now, failures: 9, abandons: 0, in_flight_id: null }
    const proven = play([...read(1), ...answered('ok')])
    const lane = play([{ kind: 'health seen', health }], proven)
    expect([poolOf(lane), lane.notBefore, lane.hasHealthRow]).toEqual(['proven', undefined, true])
    const cleared = { ...health, failures: 0, not_before: null }
    expect(play([{ kind: 'health seen', health: cleared }], lane).hasHealthRow).toBe(true)
    const better = play([...answered('ok'), { kind: 'health seen', health: cleared }], lane)
    expect(better.hasHealthRow).toBe(false)
  })

  test('what it refused of an earlier owner’s makes no failing one of it', () => {
    const health = { not_before: null, failures: 40, abandons: 0, in_flight_id: null }
    const lane = play([{ kind: 'health loaded', health }, ...answered('failed')])
    expect([poolOf(lane), lane.notBefore, lane.hasHealthRow]).toEqual(['trial', undefined, true])
  })
})

describe('what a lane does next', () => {
  test('a new lane reads, and sends what was read', () => {
    expect(next(newLane)).toEqual({ kind: 'work', sends: false, refreshes: false, reads: true })
    const lane = play(read(5))
    expect(next(lane)).toEqual({ kind: 'work', sends: true, refreshes: false, reads: false })
    expect(next(play([{ kind: 'sent' }], lane))).toMatchObject({ sends: false })
  })

  test('a proven one reads ahead while few rows are left and there may be more, one read at a time', () => {
    const proven = play([...read(1), ...answered('ok')])
    expect(next(play(read(17, true), proven))).toMatchObject({ reads: false })
    const lane = play(read(16, true), proven)
    expect(next(lane)).toMatchObject({ reads: true })
    expect(next(play([{ kind: 'read began' }], lane))).toMatchObject({ reads: false })
  })

  test('one that sends a request at a time reads when nothing is left, however often it is woken', () => {
    const lane = play([...read(2), { kind: 'sent' }, { kind: 'woken', nowMs: 0 }])
    expect(next(lane)).toMatchObject({ reads: false })
    expect(next(play([{ kind: 'sent' }], lane))).toMatchObject({ reads: true })
  })

  test('it reads few rows, and goes on with many at once where those before cannot be sent', () => {
    const lane = new Lane('a workspace', '00000000-0000-0000-0000-000000000000')
    expect(lane.rowsWanted).toBe(rowsOneByOne)
    lane.setPosition({ ...beforeAllRows, due_at: '2026-11-20' }, 0)
    expect(lane.rowsWanted).toBe(rowsOfReadMax)
    lane.setPosition({ ...beforeAllRows, due_at: '2026-11-21' }, 1)
    expect(lane.rowsWanted).toBe(rowsOneByOne)
    lane.setPosition({ ...beforeAllRows, due_at: '2026-11-22' }, 0)
    lane.forgetRows()
    expect(lane.rowsWanted).toBe(rowsOneByOne)
    for (const event of answered('ok')) lane.apply(event)
    expect(lane.rowsWanted).toBe(rowsOfReadMax)
  })

  test('what wakes it during a read is read for afterwards', () => {
    const lane = play([{ kind: 'read began' }, { kind: 'woken', nowMs: 0 }])
    expect(next(play([{ kind: 'read ended', queued: 0, hasMore: false }], lane))).toMatchObject({
      reads: true,
    })
  })

  test('nothing is sent by a destination that was read a second ago: it is read again', () => {
    const lane = play(read(5))
    expect(next(lane, { nowMs: 999 })).toMatchObject({ sends: true, refreshes: false })
    expect(next(lane, { nowMs: 1_000 })).toMatchObject({ sends: false, refreshes: true })
    for (const kind of ['refresh began', 'read began'] as const) {
      const asking = play([{ kind }], lane)
      expect(next(asking, { nowMs: 1_000 })).toMatchObject({ sends: false, refreshes: false })
    }
  })

  test('a lane in full flow asks for its destination ahead, and stops after 64 sends without it', () => {
    const flowing = play([...read(200), ...times(31, answered('ok'))])
    expect(next(flowing)).toMatchObject({ sends: true, refreshes: false })
    expect(next(play(answered('ok'), flowing))).toMatchObject({ sends: true, refreshes: true })
    expect(next(play(times(33, answered('ok')), flowing))).toMatchObject({ sends: false })
  })

  test('requests that began while the destination was asked for count against the answer', () => {
    const lane = play([...read(200), ...times(10, answered('ok'))])
    const answer: LaneEvent = { kind: 'destination read', version: 1, askedMs: 0, sends: 4 }
    expect(play([answer], lane).sendsLeft).toBe(58)
  })

  test('a failing lane pauses, and goes on when the pause ends or a person resumes it', () => {
    const lane = play([...read(9), ...times(3, answered('failed'))])
    expect(next(lane)).toEqual({ kind: 'pause' })
    const later = new Date(now.getTime() + 5_000)
    expect(next(lane, { now: later })).toMatchObject({ kind: 'work' })
    expect(next(play([{ kind: 'resumed' }], lane))).toMatchObject({ kind: 'work' })
  })

  test('a lane whose bucket is not ours leaves, whatever else there is to do', () => {
    expect(next(play(read(9)), { isOurs: false })).toEqual({ kind: 'leave' })
  })

  test('a lane whose destination is closed has nothing to do, and rests until its time', () => {
    const lane = play([
      ...read(9),
      { kind: 'destination closed', version: 2 },
      { kind: 'rests', untilMs: 5_000 },
    ])
    const nothing = { kind: 'work', sends: false, refreshes: false, reads: false }
    expect(next(lane)).toEqual(nothing)
    expect(next(play([{ kind: 'woken', nowMs: 4_999 }], lane))).toEqual(nothing)
    expect(next(play([{ kind: 'woken', nowMs: 5_000 }], lane))).toMatchObject({ reads: true })
  })

  test('requests that end processes are sent one by one', () => {
    const health = {
      ...{
        not_before: null,
        failures: 0,
        abandons: 3,
        in_flight_id: null,
      },
    }
    const proven = { ...play([...read(9)]), isProven: true, limit: 8 }
    expect(next(play([{ kind: 'sent' }], proven))).toMatchObject({ sends: true })
    const suspect = play([{ kind: 'health loaded', health }, { kind: 'sent' }], proven)
    expect(next(suspect)).toMatchObject({ sends: false })
  })
})

test('a lane is idle when nothing is read, under way, or waiting to be written', () => {
  const events: [LaneEvent, boolean][] = [
    [{ kind: 'read began' }, false],
    [{ kind: 'read ended', queued: 1, hasMore: false }, false],
    [{ kind: 'sent' }, false],
    [{ kind: 'answered', health: 'ok', now, retryAt: null }, false],
    [{ kind: 'settled' }, true],
    [{ kind: 'refresh began' }, false],
    [{ kind: 'refresh ended' }, true],
    [{ kind: 'read began' }, false],
    [{ kind: 'read ended', queued: 2, hasMore: false }, false],
    [{ kind: 'sent' }, false],
    [{ kind: 'rows forgotten' }, false],
    [{ kind: 'not sent' }, true],
  ]
  let lane = newLane
  expect(isIdle(lane)).toBe(true)
  for (const [event, idle] of events) {
    lane = laneAfter(lane, event)
    expect([event.kind, isIdle(lane)]).toEqual([event.kind, idle])
  }
})
