import { expect, test } from 'vitest'
import type { Context } from '../context.ts'
import { type Slot, Slots } from './slots.ts'

const limits = {
  max: { proven: 512, trial: 256, failing: 256 },
  slowAfterMs: 1_000,
  slowMax: 1024,
}

function slotsOf() {
  const process = { ms: 0, busy: 0 }
  const adaptive = { min: 64, busyShare: () => process.busy }
  const slots = new Slots({ monotonicMs: () => process.ms } as Context, { ...limits, adaptive })
  const taken: Slot[] = []
  const fill = () => {
    while (slots.hasFree('proven')) taken.push(slots.take('proven'))
    return slots.size
  }
  const review = () => {
    process.ms += 250
    slots.review()
  }
  /** Servers that answer at once, and more to send. */
  const turn = () => {
    for (const slot of taken.splice(0)) slots.free(slot)
    process.ms += 250
    const inFlight = fill()
    slots.review()
    return inFlight
  }
  return { process, slots, fill, review, turn }
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

test('on a process that is always busy nobody waits for servers that take their time', () => {
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
  const { slots, fill, review } = slotsOf()
  const slot = slots.take('proven')
  for (let i = 0; i < 20; i++) review()
  slots.free(slot)
  expect(fill()).toBe(64)
})

test('an attempt that is under way for a second leaves its slot to others, up to 1,024 of them', () => {
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
  expect(slots.size).toBe(1024 + 512)
})
