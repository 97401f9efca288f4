import { expect, test } from 'vitest'
import { Lane } from './lane.ts'

const now = new Date('2026-11-20T12:00:00Z')
const laneOf = () =>
  new Lane('019a9d5e-0000-7000-8000-000000000000', '019a9d5e-0000-7000-8000-0000000000ff')
const fail = (lane: Lane, times: number, retryAt: Date | null = null) => {
  for (let i = 0; i < times; i++) lane.observe('failed', now, retryAt)
}

test('an unknown destination is tried with one request, a good one gets up to 16', () => {
  const lane = laneOf()
  expect([lane.pool, lane.limit]).toEqual(['trial', 1])
  lane.observe('ok', now, null)
  expect([lane.pool, lane.limit]).toEqual(['proven', 4])
  for (let i = 0; i < 20; i++) lane.observe('ok', now, null)
  expect(lane.limit).toBe(16)
})

test('an overload halves what is in flight', () => {
  const lane = laneOf()
  for (let i = 0; i < 20; i++) lane.observe('ok', now, null)
  lane.observe('overloaded', now, null)
  expect([lane.pool, lane.limit]).toEqual(['proven', 8])
})

test('three failures in a row make it a failing one: one probe, with doubling pauses to 5 min', () => {
  const lane = laneOf()
  fail(lane, 2)
  expect(lane.pool).toBe('trial')
  const pauses = Array.from({ length: 8 }, () => {
    lane.observe('failed', now, null)
    return ((lane.notBefore?.getTime() ?? 0) - now.getTime()) / 1000
  })
  expect([lane.pool, lane.limit]).toEqual(['failing', 1])
  expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 300, 300])
})

test('its pause never outlasts the promised time of the delivery that failed', () => {
  const lane = laneOf()
  const promised = new Date(now.getTime() + 1_500)
  fail(lane, 10, promised)
  expect(lane.notBefore).toEqual(promised)
})

test('one success ends the pause and starts over with 4', () => {
  const lane = laneOf()
  fail(lane, 10)
  lane.observe('ok', now, null)
  expect([lane.pool, lane.limit, lane.notBefore]).toEqual(['proven', 4, undefined])
})

test('what a dead runner left in the database counts', () => {
  const lane = laneOf()
  lane.adopt({
    webhook_id: lane.webhookId,
    consecutive_failures: 7,
    not_before: now,
    failing_since: now,
    failures: 9,
    abandons: 3,
    in_flight_id: null,
  })
  expect([lane.pool, lane.isSuspicious, lane.troubled]).toEqual(['failing', true, true])
})
