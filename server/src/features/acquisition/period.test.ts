import { expect, test } from 'vitest'
import { type Credits, turnPeriod } from './period.ts'

const time = (text: string) => new Date(`${text}T00:00:00Z`)

const november: Credits = {
  balance: 130,
  granted: 150,
  used: 20,
  period_grant: 50,
  period_start: time('2026-11-01'),
  period_end: time('2026-12-01'),
}

test('a period turns at its end, not before', () => {
  const last = new Date(time('2026-12-01').getTime() - 1)
  expect(turnPeriod(november, 50, last)).toBeUndefined()
  expect(turnPeriod(november, 50, time('2026-12-01'))).toBeDefined()
})

test("what is left of the plan's credits expires, what else there was stays", () => {
  expect(turnPeriod(november, 70, time('2026-12-05'))).toEqual({
    expired: 30,
    granted: 70,
    credits: {
      balance: 170,
      granted: 170,
      used: 0,
      period_grant: 70,
      period_start: time('2026-12-01'),
      period_end: time('2027-01-01'),
    },
  })
})

test('credits granted by hand are used after those of the plan', () => {
  const used = { ...november, balance: 70, used: 80 }
  expect(turnPeriod(used, 50, time('2026-12-01'))).toMatchObject({
    expired: 0,
    credits: { balance: 120 },
  })
})

test('months that nobody looked at are skipped', () => {
  expect(turnPeriod(november, 50, time('2027-05-17'))?.credits).toMatchObject({
    balance: 150,
    period_start: time('2027-05-01'),
    period_end: time('2027-06-01'),
  })
})

test('the first period begins when the plan gets monthly credits, and the last one ends open', () => {
  const open = { ...november, period_grant: 0, period_end: null }
  expect(turnPeriod(open, 0, time('2030-01-01'))).toBeUndefined()
  expect(turnPeriod(open, 10, time('2026-11-20'))).toMatchObject({
    expired: 0,
    granted: 10,
    credits: { balance: 140, period_start: time('2026-11-20'), period_end: time('2026-12-01') },
  })
  expect(turnPeriod(november, 0, time('2026-12-02'))).toMatchObject({
    expired: 30,
    granted: 0,
    credits: { balance: 100, granted: 100, used: 0, period_grant: 0, period_end: null },
  })
})
