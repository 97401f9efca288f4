import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalZone } from '../../../kernel/time-zone.ts'
import { closesAt, isOver, problemsWithSchedule, windowState } from './schedule.ts'
import type { CampaignSchedule } from './schedule-schema.ts'

type WeeklySchedule = CampaignSchedule['schedules'][number]
type Weekday = keyof WeeklySchedule['days']

const noDay = { '0': false, '1': false, '2': false, '3': false, '4': false, '5': false, '6': false }
const on = (...days: Weekday[]): WeeklySchedule['days'] => ({
  ...noDay,
  ...Object.fromEntries(days.map((day) => [day, true])),
})
const everyDay = on('0', '1', '2', '3', '4', '5', '6')

const weekly = (more: Partial<WeeklySchedule> = {}): WeeklySchedule => ({
  name: 'Office hours',
  timing: { from: '09:00', to: '17:00' },
  days: on('1', '2', '3', '4', '5'),
  timezone: 'UTC',
  ...more,
})

const schedule = (...schedules: WeeklySchedule[]): CampaignSchedule => ({
  start_date: null,
  end_date: null,
  schedules,
})

const window = (
  from: string,
  to: string,
  timezone = 'UTC',
  days: WeeklySchedule['days'] = everyDay,
) => schedule(weekly({ timing: { from, to }, days, timezone }))

const stateAt = (of: CampaignSchedule, time: string) => {
  const { open, over, nextOpen } = windowState(of, new Date(time))
  return { open, over, nextOpen: nextOpen?.toISOString().replace(':00.000Z', 'Z') ?? null }
}

describe('a schedule that makes no sense is refused with the place of each problem', () => {
  const timed = (from: string, to: string) => schedule(weekly({ timing: { from, to } }))
  test.each<[string, CampaignSchedule, string[]]>([
    ['from after to', timed('17:00', '09:00'), ['/schedules/0/timing/to']],
    ['from equal to to', timed('09:00', '09:00'), ['/schedules/0/timing/to']],
    ['to past midnight', timed('09:00', '24:01'), ['/schedules/0/timing/to']],
    ['from at 24:00', timed('24:00', '24:00'), ['/schedules/0/timing/from']],
    ['one digit', timed('9:00', '17:00'), ['/schedules/0/timing/from']],
    [
      'no such minute',
      timed('09:60', '17:61'),
      ['/schedules/0/timing/from', '/schedules/0/timing/to'],
    ],
    ['no day', schedule(weekly({ days: noDay })), ['/schedules/0/days']],
    ['an offset', schedule(weekly({ timezone: '+02:00' })), ['/schedules/0/timezone']],
    ['the second of two', schedule(weekly(), weekly({ days: noDay })), ['/schedules/1/days']],
    ['no such day', { ...schedule(weekly()), start_date: '2026-02-29' }, ['/start_date']],
    ['the year 0', { ...schedule(weekly()), start_date: '0000-01-01' }, ['/start_date']],
    ['a time', { ...schedule(weekly()), end_date: '2026-02-28T00:00Z' }, ['/end_date']],
    [
      'end before start',
      { ...schedule(weekly()), start_date: '2026-03-02', end_date: '2026-03-01' },
      ['/end_date'],
    ],
    [
      'everything',
      {
        start_date: '',
        end_date: '2026-13-01',
        schedules: [weekly({ timing: { from: '', to: '' }, days: noDay, timezone: '' })],
      },
      [
        '/start_date',
        '/end_date',
        '/schedules/0/timing/from',
        '/schedules/0/timing/to',
        '/schedules/0/days',
        '/schedules/0/timezone',
      ],
    ],
  ])('%s', (_, of, paths) => {
    const problems = problemsWithSchedule(of)
    expect(problems.map((problem) => problem.path)).toEqual(paths)
    for (const { message } of problems)
      expect(message).toMatch(/^(?:start_date|end_date|from|to|days|timezone) must /)
  })

  test.each<[string, CampaignSchedule]>([
    ['the default', schedule(weekly())],
    ['a whole day', window('00:00', '24:00')],
    ['a minute', window('23:59', '24:00')],
    ['one date', { ...schedule(weekly()), start_date: '2028-02-29', end_date: '2028-02-29' }],
    ['a past one', { ...schedule(weekly()), end_date: '1999-12-31' }],
  ])('%s is accepted', (_, of) => {
    expect(problemsWithSchedule(of)).toEqual([])
  })
})

describe('a zone is any IANA name, in any case, and nothing else', () => {
  test.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['europe/berlin', 'Europe/Berlin'],
    ['AMERICA/ARGENTINA/BUENOS_AIRES', 'America/Argentina/Buenos_Aires'],
    ['Asia/Calcutta', 'Asia/Calcutta'],
    ['us/eastern', 'US/Eastern'],
    ['utc', 'UTC'],
    ['Etc/GMT+5', 'Etc/GMT+5'],
    ['America/Port-au-Prince', 'America/Port-au-Prince'],
  ])('%s', (name, canonical) => {
    expect(canonicalZone(name)).toBe(canonical)
  })

  test.each([
    [''],
    ['Z'],
    ['+02:00'],
    ['-0800'],
    ['+02'],
    ['UTC+2'],
    ['GMT+02:00'],
    ['Mars/Phobos'],
    ['Europe/Berlin '],
    ['2026-01-01T00:00Z'],
    ['2026-01-01T00:00[Europe/Berlin]'],
    ['__proto__'],
  ])('%j is none', (name) => {
    expect(canonicalZone(name)).toBeUndefined()
  })
})

describe('the window of a schedule', () => {
  test.each<[string, CampaignSchedule, string, boolean, string | null]>([
    ['opens at from', schedule(weekly()), '2026-11-20T09:00Z', true, '2026-11-20T09:00Z'],
    ['is closed before', schedule(weekly()), '2026-11-20T08:59Z', false, '2026-11-20T09:00Z'],
    ['is open to the end', schedule(weekly()), '2026-11-20T16:59Z', true, '2026-11-20T16:59Z'],
    ['is closed at to', schedule(weekly()), '2026-11-20T17:00Z', false, '2026-11-23T09:00Z'],
    ['rests on a Sunday', schedule(weekly()), '2026-11-22T12:00Z', false, '2026-11-23T09:00Z'],
    [
      'takes 0 for Sunday',
      window('09:00', '10:00', 'UTC', on('0')),
      '2026-11-20T12:00Z',
      false,
      '2026-11-22T09:00Z',
    ],
    [
      'returns in a week',
      window('09:00', '10:00', 'UTC', on('5')),
      '2026-11-20T10:00Z',
      false,
      '2026-11-27T09:00Z',
    ],
    [
      'goes on over midnight',
      window('00:00', '24:00'),
      '2026-11-20T23:59Z',
      true,
      '2026-11-20T23:59Z',
    ],
    [
      'keeps seconds',
      schedule(weekly()),
      '2026-11-20T09:00:00.001Z',
      true,
      '2026-11-20T09:00:00.001Z',
    ],
    [
      'has its own zone',
      window('09:00', '10:00', 'Pacific/Kiritimati', on('6')),
      '2026-11-20T19:30Z',
      true,
      '2026-11-20T19:30Z',
    ],
    [
      'takes a zone in any case',
      window('09:00', '10:00', 'asia/kathmandu'),
      '2026-11-20T03:00Z',
      false,
      '2026-11-20T03:15Z',
    ],
  ])('%s', (_, of, time, open, nextOpen) => {
    expect(stateAt(of, time)).toEqual({ open, over: false, nextOpen })
  })

  const union = schedule(
    weekly({ timing: { from: '09:00', to: '10:00' }, timezone: 'Europe/Berlin' }),
    weekly({ timing: { from: '09:00', to: '10:00' }, timezone: 'America/New_York' }),
  )
  test.each([
    ['2026-11-20T07:00Z', false, '2026-11-20T08:00Z'],
    ['2026-11-20T08:30Z', true, '2026-11-20T08:30Z'],
    ['2026-11-20T09:00Z', false, '2026-11-20T14:00Z'],
    ['2026-11-20T14:30Z', true, '2026-11-20T14:30Z'],
    ['2026-11-20T15:00Z', false, '2026-11-23T08:00Z'],
  ])('of two is open while any is: %s', (time, open, nextOpen) => {
    expect(stateAt(union, time)).toEqual({ open, over: false, nextOpen })
  })
})

describe('when clocks change', () => {
  // Berlin: 2026-03-29 02:00 becomes 03:00 (01:00Z), 2026-10-25 03:00 becomes 02:00 (01:00Z).
  const berlin = (from: string, to: string) => window(from, to, 'Europe/Berlin')
  test.each<[string, CampaignSchedule, string, boolean, string | null]>([
    [
      'a start in the gap is the instant after it',
      berlin('02:30', '05:00'),
      '2026-03-29T00:59Z',
      false,
      '2026-03-29T01:00Z',
    ],
    [
      'an end in the gap is the instant after it',
      berlin('01:00', '02:30'),
      '2026-03-29T00:59Z',
      true,
      '2026-03-29T00:59Z',
    ],
    [
      'nothing is open past that end',
      berlin('01:00', '02:30'),
      '2026-03-29T01:00Z',
      false,
      '2026-03-29T23:00Z',
    ],
    [
      'a window in the gap waits a day',
      berlin('02:10', '02:50'),
      '2026-03-29T00:30Z',
      false,
      '2026-03-30T00:10Z',
    ],
    [
      'a weekly one waits a week',
      window('02:10', '02:50', 'Europe/Berlin', on('0')),
      '2026-03-28T12:00Z',
      false,
      '2026-04-05T00:10Z',
    ],
    [
      'in a fold it is open in the first pass',
      berlin('02:10', '02:50'),
      '2026-10-25T00:20Z',
      true,
      '2026-10-25T00:20Z',
    ],
    [
      'closed between the passes',
      berlin('02:10', '02:50'),
      '2026-10-25T00:55Z',
      false,
      '2026-10-25T01:10Z',
    ],
    [
      'open in the second pass',
      berlin('02:10', '02:50'),
      '2026-10-25T01:20Z',
      true,
      '2026-10-25T01:20Z',
    ],
    [
      'one that ends in the fold opens again with it',
      berlin('00:00', '02:30'),
      '2026-10-25T00:40Z',
      false,
      '2026-10-25T01:00Z',
    ],
    [
      'a day of 25 hours is open for 25',
      berlin('00:00', '24:00'),
      '2026-10-25T22:59Z',
      true,
      '2026-10-25T22:59Z',
    ],
    [
      'a gap at midnight starts the day',
      window('00:00', '09:00', 'Africa/Cairo', on('5')),
      '2026-04-23T21:59Z',
      false,
      '2026-04-23T22:00Z',
    ],
    [
      'a start in a gap at midnight too',
      window('00:30', '09:00', 'Africa/Cairo', on('5')),
      '2026-04-23T21:59Z',
      false,
      '2026-04-23T22:00Z',
    ],
    [
      'a fold at midnight opens the evening again',
      window('23:10', '23:20', 'Africa/Cairo', on('4')),
      '2026-10-29T20:30Z',
      false,
      '2026-10-29T21:10Z',
    ],
    [
      'a fold after midnight opens the evening again on the day after it',
      window('23:30', '24:00', 'America/St_Johns', on('6')),
      '2010-11-07T02:30:30Z',
      false,
      '2010-11-07T03:00Z',
    ],
    [
      'half an hour of change',
      window('02:15', '03:00', 'Australia/Lord_Howe'),
      '2026-10-03T15:29Z',
      false,
      '2026-10-03T15:30Z',
    ],
    [
      'a day that a zone skips',
      window('09:00', '10:00', 'Pacific/Apia', on('5')),
      '2011-12-29T12:00Z',
      false,
      '2012-01-05T19:00Z',
    ],
  ])('%s', (_, of, time, open, nextOpen) => {
    expect(stateAt(of, time)).toEqual({ open, over: false, nextOpen })
  })
})

describe('the dates are whole days in the zone of each schedule', () => {
  const dated = (start_date: string | null, end_date: string | null, ...zones: string[]) => ({
    start_date,
    end_date,
    schedules: zones.map((timezone) =>
      weekly({ timing: { from: '00:00', to: '24:00' }, days: everyDay, timezone }),
    ),
  })
  const day = dated('2026-11-20', '2026-11-20', 'Pacific/Kiritimati')
  test.each<[CampaignSchedule, string, boolean, boolean, string | null]>([
    [day, '2026-11-19T09:59Z', false, false, '2026-11-19T10:00Z'],
    [day, '2026-11-19T10:00Z', true, false, '2026-11-19T10:00Z'],
    [day, '2026-11-20T09:59Z', true, false, '2026-11-20T09:59Z'],
    [day, '2026-11-20T10:00Z', false, true, null],
    [dated('2036-11-20', null, 'UTC'), '2026-11-20T00:00Z', false, false, '2036-11-20T00:00Z'],
    [
      dated(null, '2026-11-20', 'UTC', 'Etc/GMT+12'),
      '2026-11-21T11:59Z',
      true,
      false,
      '2026-11-21T11:59Z',
    ],
    [dated(null, '2026-11-20', 'UTC', 'Etc/GMT+12'), '2026-11-21T12:00Z', false, true, null],
  ])('%#: %s', (of, time, open, over, nextOpen) => {
    expect(stateAt(of, time)).toEqual({ open, over, nextOpen })
    expect(isOver(of, new Date(time))).toBe(over)
  })

  test('a last day without a window left is not over, but opens no more', () => {
    const friday = { ...schedule(weekly()), end_date: '2026-11-20' }
    expect(stateAt(friday, '2026-11-20T17:00Z')).toEqual({
      open: false,
      over: false,
      nextOpen: null,
    })
    expect(stateAt(friday, '2026-11-21T00:00Z')).toEqual({
      open: false,
      over: true,
      nextOpen: null,
    })
  })
})

/** The same rules by another road: a wall clock from Intl, looked at minute by minute. */
function isOpenByIntl({ start_date, end_date, schedules }: CampaignSchedule, time: number) {
  return schedules.some(({ timing, days, timezone }) => {
    const [date = '', clock = ''] = wallClockOf(timezone).format(time).split(' ')
    const day = new Date(`${date}T00:00Z`).getUTCDay()
    return (
      days[`${day}` as Weekday] &&
      timing.from <= clock &&
      clock < timing.to &&
      (start_date === null || start_date <= date) &&
      (end_date === null || date <= end_date)
    )
  })
}

const formats = new Map<string, Intl.DateTimeFormat>()
function wallClockOf(timeZone: string) {
  const known = formats.get(timeZone)
  if (known) return known
  const made = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'short',
  })
  formats.set(timeZone, made)
  return made
}

const clock = fc
  .tuple(fc.nat(23), fc.constantFrom('00', '15', '30', '59'))
  .map(([hour, minute]) => `${`${hour}`.padStart(2, '0')}:${minute}`)
const anyWeekly = fc
  .record({
    from: clock,
    to: fc.oneof(clock, fc.constant('24:00')),
    days: fc.subarray<Weekday>(['0', '3', '4', '5', '6']),
    timezone: fc.constantFrom('Europe/Berlin', 'Africa/Cairo', 'America/Havana', 'Asia/Kolkata'),
  })
  .filter(({ from, to }) => from < to)
  .map(({ from, to, days, timezone }) =>
    weekly({ timing: { from, to }, days: on(...days), timezone }),
  )
const anySchedule = fc.record({
  start_date: fc.constantFrom(null, '2026-03-29', '2026-10-25'),
  end_date: fc.constantFrom(null, '2026-04-24', '2026-11-01'),
  schedules: fc.array(anyWeekly, { minLength: 1, maxLength: 2 }),
})
// Just before the clocks of these zones change.
const near = fc.constantFrom(
  '2026-03-08',
  '2026-03-28',
  '2026-04-23',
  '2026-10-24',
  '2026-10-29',
  '2026-10-31',
)
const minutesMax = 36 * 60

test('a window opens at the first open minute of the wall clock', () => {
  fc.assert(
    fc.property(anySchedule, near, fc.nat(minutesMax), (of, date, minutes) => {
      const now = new Date(Date.parse(`${date}T00:00Z`) + minutes * 60_000)
      const state = windowState(of, now)
      expect(state.open).toBe(isOpenByIntl(of, now.getTime()))
      const until = now.getTime() + minutesMax * 60_000
      let time = now.getTime()
      while (time < until && !isOpenByIntl(of, time)) time += 60_000
      if (time < until) expect(state.nextOpen?.getTime()).toBe(time)
      else expect(state.nextOpen?.getTime() ?? until).toBeGreaterThanOrEqual(until)
    }),
    { numRuns: 150 },
  )
})

test('an open window closes at the first closed minute, or is cut after a day of being open', () => {
  fc.assert(
    fc.property(anySchedule, near, fc.nat(minutesMax), (of, date, minutes) => {
      const now = Date.parse(`${date}T00:00Z`) + minutes * 60_000
      if (!windowState(of, new Date(now)).open) return
      const closing = closesAt(of, new Date(now)).getTime()
      expect(closing).toBeGreaterThan(now)
      for (let time = now; time < closing; time += 60_000) expect(isOpenByIntl(of, time)).toBe(true)
      if (closing < now + 86_400_000) expect(isOpenByIntl(of, closing)).toBe(false)
    }),
    { numRuns: 150 },
  )
})

test('a window to midnight closes where the clock goes back from midnight to before it opens', () => {
  const late = window('23:15', '24:00', 'Africa/Cairo')
  const closing = closesAt(late, new Date('2026-10-29T20:30Z'))
  expect(closing.toISOString()).toBe('2026-10-29T21:00:00.000Z')
})

test('a window that never closes is cut at midnights', () => {
  const always = window('00:00', '24:00')
  const closing = closesAt(always, new Date('2026-11-23T10:00Z'))
  expect(closing.toISOString().slice(11, 19)).toBe('00:00:00')
  expect(windowState(always, closing).open).toBe(true)
})
