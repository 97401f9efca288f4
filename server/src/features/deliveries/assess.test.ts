import { afterEach, describe, expect, test, vi } from 'vitest'
import type { SentOutcome } from '../../kernel/outbound/index.ts'
import { assess, resultOf } from './assess.ts'

afterEach(() => void vi.unstubAllEnvs())

const now = new Date('2026-11-20T12:00:00Z')
const rules = { delaysMs: [5_000, 60_000], now, random: 0.5 }
const delivery = (attempt: number, hoursLeft = 72) => ({
  attempt,
  expires_ms: now.getTime() + hoursLeft * 3_600_000,
})
const response = (
  status: number,
  retryAfter: string | null = null,
): Extract<SentOutcome, { kind: 'response' }> => ({
  kind: 'response',
  status,
  body: 'text',
  retryAfter,
  durationMs: 12.4,
})
const decide = (...given: Parameters<typeof assess>) => assess(...given).decision
const healthOf = (outcome: SentOutcome) => assess(outcome, delivery(0), rules).health
const failure = (error: 'timeout' | 'dns_error' = 'timeout'): SentOutcome => ({
  kind: 'failure',
  error,
  detail: null,
  durationMs: 15_000,
})
const waitMs = (outcome: SentOutcome, attempt = 0, random = 0.5) => {
  const decision = decide(outcome, delivery(attempt), { ...rules, random })
  return decision.kind === 'retry' ? decision.dueAt.getTime() - now.getTime() : decision.kind
}

describe('what becomes of a delivery', () => {
  test.each([200, 201, 204, 299])('%d is a success', (status) => {
    expect(decide(response(status), delivery(0), rules)).toEqual({ kind: 'delivered' })
    expect(resultOf(response(status))).toMatchObject({ success: true, error_message: null })
  })

  test('a 2xx whose body is not over in time is a success', () => {
    const late = { ...response(200), isLate: true } as const
    expect(decide(late, delivery(0), rules)).toEqual({ kind: 'delivered' })
    expect(resultOf(late)).toMatchObject({ success: true, error_message: null })
  })

  test.each([199, 301, 304, 400, 401, 404, 422, 500, 503])('%d is retried', (status) => {
    expect(waitMs(response(status))).toBe(5_000)
  })

  test('the wait is that of the schedule, give or take a fifth', () => {
    expect(waitMs(failure(), 1, 0)).toBe(48_000)
    expect(waitMs(failure(), 1, 0.999999)).toBe(72_000)
  })

  test('after the last wait of the schedule it has ended', () => {
    expect(waitMs(failure(), 2)).toBe('ended')
  })

  test('410 ends it at once, and the destination with it', () => {
    expect(decide(response(410), delivery(0), rules)).toEqual({ kind: 'ended', disable: 'gone' })
  })

  test('no retry is promised beyond its 72 hours', () => {
    const late = { attempt: 1, expires_ms: now.getTime() + 30_000 }
    expect(decide(failure(), late, rules)).toEqual({ kind: 'ended', disable: null })
  })

  test.each([
    ['120', 120_000],
    ['0', 5_000],
    ['4', 5_000],
    ['6', 6_000],
    ['-5', 5_000],
    ['soon', 5_000],
    ['99999999', 86_400_000],
    ['99999999999999999999', 86_400_000],
    ['Fri, 20 Nov 2026 12:10:00 GMT', 600_000],
    ['Friday, 20-Nov-26 12:10:00 GMT', 600_000],
    ['Fri Nov 20 12:10:00 2026', 600_000],
    ['Fri, 20 Nov 2020 12:10:00 GMT', 5_000],
  ])(
    'Retry-After %j of a 429 or 503 makes it wait %d ms, never less than the schedule',
    (text, ms) => {
      expect(waitMs(response(429, text))).toBe(ms)
      expect(waitMs(response(503, text))).toBe(ms)
      expect(waitMs(response(500, text))).toBe(5_000)
    },
  )
})

test('a date of Retry-After that names no zone is GMT, wherever the process runs', () => {
  vi.stubEnv('TZ', 'America/New_York')
  expect(new Date(2026, 10, 20).getTimezoneOffset()).toBe(300)
  expect(waitMs(response(429, 'Fri Nov 20 12:10:00 2026'))).toBe(600_000)
  expect(waitMs(response(429, 'Fri, 20 Nov 2026 12:10:00'))).toBe(600_000)
})

test('the reason of a failure is of the closed list, with its detail', () => {
  expect(resultOf(response(302)).error_message).toBe('redirect: 302')
  expect(resultOf(response(500)).error_message).toBe('http_status: 500')
  expect(resultOf(failure())).toMatchObject({ status_code: null, error_message: 'timeout' })
  expect(resultOf(response(200)).response_time_ms).toBe(12)
})

test('only what says "too much" counts as an overload', () => {
  expect(healthOf(response(429))).toBe('overloaded')
  expect(healthOf(response(503))).toBe('overloaded')
  expect(healthOf(failure())).toBe('overloaded')
  expect(healthOf({ ...response(500), isLate: true })).toBe('overloaded')
  expect(healthOf({ ...response(200), isLate: true })).toBe('late')
  expect(healthOf(failure('dns_error'))).toBe('failed')
  for (const status of [302, 408, 410, 425, 500]) {
    expect(healthOf(response(status))).toBe('failed')
  }
  for (const status of [400, 401, 404, 422]) expect(healthOf(response(status))).toBe('refused')
  expect(healthOf(response(202))).toBe('ok')
})
