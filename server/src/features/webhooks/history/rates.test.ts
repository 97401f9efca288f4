import fc from 'fast-check'
import { expect, test } from 'vitest'
import { summarise } from './rates.ts'

test.each([
  [0, 0, 0, 0],
  [1, 0, 100, 0],
  [0, 1, 0, 100],
  [1, 1, 50, 50],
  [1, 2, 33.33, 66.67],
  [2, 1, 66.67, 33.33],
  [7, 1, 87.5, 12.5],
  [999_999, 1, 99.99, 0.01],
  [1, 999_999, 0.01, 99.99],
  [19_999, 1, 99.99, 0.01],
])('%i successes and %i failures are %d %% and %d %%', (succeeded, failed, success, failure) => {
  expect(summarise(succeeded, failed)).toEqual({
    total_events: succeeded + failed,
    successful_events: succeeded,
    failed_events: failed,
    success_rate: success,
    failure_rate: failure,
  })
})

test('rates add up to 100, have 2 decimals, and never hide a failure or a success', () => {
  const count = fc.integer({ min: 0, max: 1e12 })
  fc.assert(
    fc.property(count, count, (succeeded, failed) => {
      fc.pre(succeeded + failed > 0)
      const { success_rate, failure_rate } = summarise(succeeded, failed)
      expect(Math.round(success_rate * 100) + Math.round(failure_rate * 100)).toBe(10_000)
      for (const rate of [success_rate, failure_rate])
        expect(String(rate)).toMatch(/^\d+(\.\d\d?)?$/)
      expect(success_rate === 100).toBe(failed === 0)
      expect(failure_rate === 100).toBe(succeeded === 0)
    }),
  )
})
