import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addDays, dayOf, parseDay, parseInstant, ZoneCalendar } from './calendar.ts'

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'Pacific/Apia',
  'America/Sao_Paulo',
  'Africa/Casablanca',
  'Pacific/Kiritimati',
]

const zone = fc.constantFrom(...zones)
const ms = fc.integer({ min: Date.UTC(2009, 0), max: Date.UTC(2031, 0) })

test.each([
  ['2026-02-28T23:59:59.123456789+02:00', Date.UTC(2026, 1, 28, 21, 59, 59, 123)],
  ['2028-02-29T10:00Z', Date.UTC(2028, 1, 29, 10)],
])('%s is a time', (text, ms) => {
  expect(parseInstant(text)?.epochMilliseconds).toBe(ms)
})

test.each([
  ...['2026-02-29T10:00:00Z', '2026-04-31T10:00:00Z', '2026-13-01T10:00:00Z'],
  ...['2026-04-30T24:00:00Z', '2026-04-30T23:59:60Z', '2026-04-30T10:60:00Z'],
  ...['2026-04-30T10:00:00', '2026-04-30', '2026-04-30 10:00:00Z', '2026-04-30T10:00:00+25:00', ''],
])('%j is none', (text) => {
  expect(parseInstant(text)).toBeUndefined()
})

test('a day is a date of the calendar that the database knows, as are those of weeks before it', () => {
  expect(parseDay('2028-02-29')?.toString()).toBe('2028-02-29')
  const wrong = ['2026-02-29', '2026-2-28', '2026-02-28T00:00', '20260228', '+002026-02-28', '']
  for (const text of [...wrong, '0000-12-31', '0001-01-10']) expect(parseDay(text)).toBeUndefined()
})

test.each([
  ['Europe/Berlin', '2026-03-28T08:00:00Z', 1, '2026-03-29T07:00:00Z'],
  ['Europe/Berlin', '2026-10-24T07:00:00Z', 1, '2026-10-25T08:00:00Z'],
  ['Europe/Berlin', '2026-03-28T01:30:00Z', 1, '2026-03-29T01:30:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T00:00:00Z', 1, '2026-10-03T23:30:00Z'],
  ['Asia/Kolkata', '2026-03-28T08:00:00Z', 3, '2026-03-31T08:00:00Z'],
  // The island had no 30 December 2011.
  ['Pacific/Apia', '2011-12-29T20:00:00Z', 1, '2011-12-30T20:00:00Z'],
])('in %s, %s and %i days is the same wall clock time: %s', (zone, from, days, to) => {
  expect(addDays(zone, new Date(from), days)).toEqual(new Date(to))
})

test('days are added as Temporal adds them, in any order of asking', () => {
  const steps = fc.array(fc.tuple(ms, fc.integer({ min: 0, max: 400 })), { maxLength: 30 })
  fc.assert(
    fc.property(zone, steps, (zone, asked) => {
      const calendar = new ZoneCalendar(zone)
      for (const [at, days] of asked) {
        expect(calendar.addDays(at, days)).toBe(addDays(zone, new Date(at), days).getTime())
      }
    }),
  )
})

test('next to a change of clocks, days are added as Temporal adds them', () => {
  const near = fc.integer({ min: -50, max: 50 })
  fc.assert(
    fc.property(zone, ms, near, fc.integer({ min: 1, max: 9 }), (zone, at, halfHours, days) => {
      const change = Temporal.Instant.fromEpochMilliseconds(at)
        .toZonedDateTimeISO(zone)
        .getTimeZoneTransition('next')
      if (!change) return
      const from = change.epochMilliseconds + halfHours * 1_800_000 - days * 86_400_000
      const calendar = new ZoneCalendar(zone)
      expect(calendar.addDays(from, days)).toBe(addDays(zone, new Date(from), days).getTime())
    }),
    { numRuns: 500 },
  )
})

test('a day is the stretch of instants that have its date', () => {
  fc.assert(
    fc.property(zone, fc.array(ms, { maxLength: 20 }), (zone, asked) => {
      const calendar = new ZoneCalendar(zone)
      for (const at of asked) {
        const { date, startMs, endMs } = calendar.dayAt(at)
        expect(dayOf(zone, new Date(at))).toBe(date)
        expect(at >= startMs && at < endMs).toBe(true)
        expect(dayOf(zone, new Date(startMs))).toBe(date)
        expect(dayOf(zone, new Date(endMs - 1))).toBe(date)
        expect(dayOf(zone, new Date(startMs - 1))).not.toBe(date)
        expect(dayOf(zone, new Date(endMs))).not.toBe(date)
      }
    }),
  )
})
