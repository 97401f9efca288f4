import { describe, expect, test } from 'vitest'
import { firstIdAt } from '../../../kernel/ids.ts'
import { daysOf, parseDays, parseTimes } from './window.ts'

const now = new Date('2026-11-20T23:59:59.999Z')

describe('the window of a summary', () => {
  test.each([
    ['nothing: the last 30 days', {}, '2026-10-22', '2026-11-20'],
    ['from alone: to today', { from: '2026-11-01' }, '2026-11-01', '2026-11-20'],
    ['from today', { from: '2026-11-20' }, '2026-11-20', '2026-11-20'],
    ['to alone: the 30 days before', { to: '2026-03-01' }, '2026-01-31', '2026-03-01'],
    ['both', { from: '2026-02-28', to: '2026-03-01' }, '2026-02-28', '2026-03-01'],
    [
      'the other names',
      { start_date: '2026-01-01', end_date: '2026-01-02' },
      '2026-01-01',
      '2026-01-02',
    ],
    ['one of each', { from: '2026-01-01', end_date: '2026-01-02' }, '2026-01-01', '2026-01-02'],
    [
      'both names alike',
      { from: '2026-11-01', start_date: '2026-11-01' },
      '2026-11-01',
      '2026-11-20',
    ],
    ['366 days', { from: '2023-12-31', to: '2024-12-30' }, '2023-12-31', '2024-12-30'],
    ['the future', { from: '2026-11-20', to: '2027-01-01' }, '2026-11-20', '2027-01-01'],
  ])('%s', (_what, query, from, to) => {
    expect(parseDays(query, now)).toEqual({ from, to })
  })

  test.each([
    ['from after to', { from: '2026-11-02', to: '2026-11-01' }, 'from'],
    ['from tomorrow', { from: '2026-11-21' }, 'from'],
    ['367 days', { from: '2023-12-31', to: '2024-12-31' }, 'from'],
    ['from more than a year ago', { from: '2025-11-19' }, 'from'],
    ['an empty date', { from: '' }, 'from'],
    ['a time', { from: '2026-11-20T00:00:00Z' }, 'from'],
    ['a day there is not', { to: '2026-02-30' }, 'to'],
    ['a month there is not', { end_date: '2026-13-01' }, 'end_date'],
    ['another order', { from: '20-11-2026' }, 'from'],
    ['no dashes', { from: '20261120' }, 'from'],
    ['a word', { start_date: 'yesterday' }, 'start_date'],
    ['a sign', { from: '+002026-11-20' }, 'from'],
    ['a space', { from: ' 2026-11-20' }, 'from'],
    ['the year 0', { to: '0000-01-01' }, 'to'],
    ['two names that differ', { to: '2026-11-01', end_date: '2026-11-02' }, 'end_date'],
  ])('refuses %s', (_what, query, field) => {
    expect(() => parseDays(query, now)).toThrow(
      expect.objectContaining({
        code: 'invalid_field',
        details: [expect.objectContaining({ path: field })],
      }),
    )
  })

  test('a window that is too long is told how its days are counted', () => {
    expect(() => parseDays({ from: '2023-12-31', to: '2024-12-31' }, now)).toThrow(
      'from and to must span at most 366 days, both included',
    )
  })

  test('holds every day once, also where the month and the leap year end', () => {
    expect(daysOf({ from: '2028-02-27', to: '2028-03-01' })).toEqual([
      '2028-02-27',
      '2028-02-28',
      '2028-02-29',
      '2028-03-01',
    ])
    expect(daysOf(parseDays({}, now))).toHaveLength(30)
  })
})

describe('the times of a list', () => {
  const idAt = (text: string) => firstIdAt(new Date(text))

  test.each([
    ['nothing', {}, undefined, undefined],
    [
      'a day is all of it',
      { from: '2026-11-20', to: '2026-11-20' },
      '2026-11-20T00:00:00.000Z',
      '2026-11-21T00:00:00.000Z',
    ],
    [
      'a time is itself',
      { from: '2026-11-20T09:30Z', to: '2026-11-20T09:30:00.000Z' },
      '2026-11-20T09:30:00.000Z',
      '2026-11-20T09:30:00.001Z',
    ],
    ['an offset', { from: '2026-11-20T09:30:00+02:00' }, '2026-11-20T07:30:00.000Z', undefined],
    [
      'a plus that arrived as a space',
      { from: '2026-11-20T09:30:00 02:00' },
      '2026-11-20T07:30:00.000Z',
      undefined,
    ],
    [
      'finer than ids are',
      { from: '2026-11-20T00:00:00.0001Z', to: '2026-11-20T00:00:00.0019Z' },
      '2026-11-20T00:00:00.001Z',
      '2026-11-20T00:00:00.002Z',
    ],
    [
      'the other names',
      { start_date: '2026-11-20', end_date: '2026-11-20' },
      '2026-11-20T00:00:00.000Z',
      '2026-11-21T00:00:00.000Z',
    ],
    ['before there were ids', { from: '1900-01-01' }, '1970-01-01T00:00:00.000Z', undefined],
  ])('%s', (_what, query, from, before) => {
    expect(parseTimes(query)).toEqual({ from: from && idAt(from), before: before && idAt(before) })
  })

  test.each([
    ['from after to', { from: '2026-11-20T00:00:00.001Z', to: '2026-11-20T00:00:00.000Z' }, 'from'],
    ['a day after a time', { from: '2026-11-21', to: '2026-11-20T23:59:59Z' }, 'from'],
    ['an empty time', { to: '' }, 'to'],
    ['two names that differ', { to: '2026-11-01', end_date: '2026-11-02' }, 'end_date'],
    ['a time without a zone', { from: '2026-11-20T09:30:00' }, 'from'],
    ['a day there is not', { from: '2026-02-30T00:00:00Z' }, 'from'],
    ['an hour there is not', { from: '2026-11-20T25:00:00Z' }, 'from'],
    ['a number', { to: '1763630220' }, 'to'],
    ['a named zone', { to: '2026-11-20T09:30:00Z[UTC]' }, 'to'],
  ])('refuses %s', (_what, query, field) => {
    expect(() => parseTimes(query)).toThrow(
      expect.objectContaining({
        code: 'invalid_field',
        details: [expect.objectContaining({ path: field })],
      }),
    )
  })
})
