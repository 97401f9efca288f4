import { expect, test } from 'vitest'
import { createIdGenerator, timeOfId } from './ids.ts'

function generator() {
  let nowMs = Date.parse('2026-03-01T12:00:00Z')
  const newId = createIdGenerator(() => new Date(nowMs))
  const move = (ms: number) => {
    nowMs += ms
  }
  return { newId, move, now: () => nowMs }
}

const minuteMs = 60_000
const isIncreasing = (ids: string[]) => ids.every((id, at) => at === 0 || id > (ids[at - 1] ?? ''))

test('ids grow within a millisecond, also when more are made than it has room for', () => {
  const { newId } = generator()
  expect(isIncreasing(Array.from({ length: 10_000 }, newId))).toBe(true)
})

test('ids grow while the clock is set back by up to a minute', () => {
  const { newId, move } = generator()
  const ids = [newId()]
  for (const step of [-1, -1000, -58_000, 10, -500]) {
    move(step)
    ids.push(newId(), newId())
  }
  expect(isIncreasing(ids)).toBe(true)
})

test('after a clock that was weeks ahead for a moment, ids have the right time again', () => {
  const { newId, move, now } = generator()
  const before = newId()
  move(40 * 24 * 60 * minuteMs)
  newId()
  move(-40 * 24 * 60 * minuteMs + 5)
  const after = Array.from({ length: 100 }, newId)
  expect(timeOfId(after[0] ?? '').getTime()).toBe(now())
  expect(isIncreasing([before, ...after])).toBe(true)
})
