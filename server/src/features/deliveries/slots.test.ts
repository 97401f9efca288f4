import { expect, test } from 'vitest'
import type { Context } from '../../kernel/context.ts'
import type { DueDelivery } from './delivery.ts'
import { Lane } from './lane.ts'
import { type Flight, Slots } from './slots.ts'

const row = {} as DueDelivery
const now = new Date('2026-11-20T12:00:00Z')

function provenLane() {
  const lane = new Lane(
    '019a9d5e-0000-7000-8000-000000000000',
    '019a9d5e-0000-7000-8000-0000000000ff',
  )
  lane.observe('ok', now, null)
  return lane
}

function slotsOf() {
  const process = { ms: 0, busy: 0 }
  const slots = new Slots({ monotonicMs: () => process.ms } as Context, () => process.busy)
  const lane = provenLane()
  const flights: Flight[] = []
  const fill = () => {
    for (; slots.hasFree('proven'); ) flights.push(slots.take(lane, row))
    return slots.inFlight
  }
  const review = () => {
    process.ms += 250
    slots.review()
  }
  /** Receivers that answer at once, and more to send. */
  const turn = () => {
    for (const flight of flights.splice(0)) slots.free(flight)
    process.ms += 250
    const inFlight = fill()
    slots.review()
    return inFlight
  }
  return { process, slots, lane, fill, review, turn }
}

test('a process with time to spare gets more in flight, up to 512', () => {
  const { turn } = slotsOf()
  expect(turn()).toBe(64)
  expect(turn()).toBe(80)
  for (let i = 0; i < 20; i++) turn()
  expect(turn()).toBe(512)
})

test('a process that is always busy has 64 in flight: more would only wait for it', () => {
  const { process, turn } = slotsOf()
  for (let i = 0; i < 20; i++) turn()
  process.busy = 0.95
  for (let i = 0; i < 20; i++) turn()
  expect(turn()).toBe(64)
})

test('on a process that is always busy nobody waits for receivers that take their time', () => {
  const { process, slots, fill, review } = slotsOf()
  process.busy = 0.95
  expect(fill()).toBe(64)
  for (let i = 0; i < 3; i++) {
    review()
    expect(slots.hasFree('proven')).toBe(true)
    fill()
  }
  expect(fill()).toBeGreaterThan(100)
})

test('who does not run out of slots gets no more of them', () => {
  const { slots, lane, fill, review } = slotsOf()
  const flight = slots.take(lane, row)
  for (let i = 0; i < 20; i++) review()
  slots.free(flight)
  expect(fill()).toBe(64)
})

test('a request that is under way for a second leaves its slot to others, up to 1,024 of them', () => {
  const { process, slots, fill } = slotsOf()
  expect(fill()).toBe(64)
  process.ms = 1_001
  slots.review()
  expect(slots.hasFree('proven')).toBe(true)
  expect(fill()).toBeGreaterThanOrEqual(128)
  for (let i = 0; i < 40; i++) {
    process.ms += 1_001
    slots.review()
    fill()
  }
  expect(slots.inFlight).toBe(1024 + 512)
})

test('a drain waits for the buckets that leave, and for no other', () => {
  const { slots, lane } = slotsOf()
  const flight = slots.take(lane, row)
  expect(slots.isFlyingOf(new Set([lane.bucket]))).toBe(true)
  expect(slots.isFlyingOf(new Set([lane.bucket + 1]))).toBe(false)
  slots.free(flight)
  expect(slots.isFlyingOf(new Set([lane.bucket]))).toBe(false)
})
