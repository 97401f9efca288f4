import { expect, test } from 'vitest'
import type { AnyContext } from '../context.ts'
import { type Slot, type SlotPool, Slots } from './slots.ts'

const limits = {
  max: { proven: 512, trial: 256, failing: 256 },
  slowAfterMs: 1_000,
  slowMax: 1024,
}

function slotsOf() {
  const process = { ms: 0, busy: 0 }
  const adaptive = { min: 64, busyShare: () => process.busy }
  const slots = new Slots({ monotonicMs: () => process.ms } as AnyContext, { ...limits, adaptive })
  const taken: Slot[] = []
  const fill = () => {
    while (slots.hasFree('proven')) taken.push(slots.take('proven', 'a'))
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
  const slot = slots.take('proven', 'a')
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

test('however many attempts are slow, all slots of failing lanes stay theirs', () => {
  const { process, slots, fill } = slotsOf()
  for (let i = 0; i < 40; i++) {
    fill()
    process.ms += 1_001
    slots.review()
  }
  expect(slots.size).toBeGreaterThanOrEqual(1024)
  let failing = 0
  for (; slots.hasFree('failing'); failing++) slots.take('failing', 'b')
  expect(failing).toBe(256)
  process.ms += 1_001
  slots.review()
  expect(slots.hasFree('failing')).toBe(false)
})

/** With limits that a few slots reach. */
function sharedSlots() {
  const process = { ms: 0 }
  const slots = new Slots({ monotonicMs: () => process.ms } as AnyContext, {
    ...{ max: { proven: 8, trial: 4, failing: 8 }, slowAfterMs: 1_000, slowMax: 4 },
    workspaceShare: 0.5,
  })
  const fill = (pool: SlotPool, workspaceId: string) => {
    const taken: Slot[] = []
    while (slots.hasFree(pool) && slots.hasShare(pool, workspaceId)) {
      taken.push(slots.take(pool, workspaceId))
    }
    return taken
  }
  const pass = (ms: number) => {
    process.ms += ms
    slots.review()
  }
  return { slots, fill, pass }
}

test('a workspace never holds more than its share of a pool, and gets again what it gives back', () => {
  const { slots, fill } = sharedSlots()
  const [first] = fill('trial', 'a')
  expect(slots.size).toBe(2)
  expect(fill('trial', 'b')).toHaveLength(2)
  expect(fill('trial', 'c')).toHaveLength(0)
  if (first) slots.free(first)
  expect(slots.hasShare('trial', 'b')).toBe(false)
  expect(fill('trial', 'a')).toHaveLength(1)
})

test('what hangs of one workspace leaves room for what hangs of another', () => {
  const { slots, fill, pass } = sharedSlots()
  fill('proven', 'a')
  fill('proven', 'b')
  pass(1_001)
  expect(slots.hasShare('proven', 'a')).toBe(true)
  expect(fill('proven', 'a')).toHaveLength(2)
  expect(fill('proven', 'b')).toHaveLength(2)
  pass(1_001)
  expect([fill('proven', 'a'), fill('proven', 'b')]).toEqual([[], []])
  expect(fill('failing', 'c')).toHaveLength(4)
})

test('an attempt that goes on is not taken for one that hangs', () => {
  const { slots, fill, pass } = sharedSlots()
  const [going, hanging] = fill('trial', 'a')
  pass(600)
  if (going) slots.renew(going, 'proven')
  pass(600)
  expect([going?.account, hanging?.account]).toEqual(['proven', 'slow'])
  if (hanging) slots.renew(hanging, 'trial')
  expect(hanging?.account).toBe('trial')
})

test('an attempt that goes on stays where it counts while its pool has no room', () => {
  const { slots, fill } = sharedSlots()
  const [slot] = fill('trial', 'a')
  const proven = fill('proven', 'a')
  if (slot) slots.renew(slot, 'proven')
  expect(slot?.account).toBe('trial')
  for (const each of proven) slots.free(each)
  if (slot) slots.renew(slot, 'proven')
  expect(slot?.account).toBe('proven')
})
