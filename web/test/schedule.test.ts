import { expect, test } from 'vitest'
import {
  type DayKey,
  spansOn,
  type WeeklySchedule,
} from '../src/features/campaigns/schedule/weekly-schedules.ts'
import { zonesNamed, zonesWith } from '../src/features/campaigns/schedule/zones.ts'
import { dayIn } from '../src/lib/time.ts'

const zones = zonesWith('Europe/Berlin')

test.each([
  ['New York', 'America/New_York'],
  ['new_york', 'America/New_York'],
  ['america/new', 'America/New_York'],
  ['Mumbai', 'Asia/Kolkata'],
  ['Munich', 'Europe/Berlin'],
  ['são paulo', 'America/Sao_Paulo'],
  ['Germany', 'Europe/Berlin'],
])('a zone is found by what somebody calls it: %s', (search, expected) => {
  expect(zonesNamed(search, zones)[0]).toBe(expected)
})

test('the zones of a country come before those that are only spelt like it', () => {
  const found = zonesNamed('India', zones)
  const [kolkata, indianapolis] = ['Asia/Kolkata', 'America/Indiana/Indianapolis']
  expect(found).toContain(kolkata)
  expect(found.indexOf(kolkata)).toBeLessThan(found.indexOf(indianapolis))
  expect(zonesNamed('Nowhere', zones)).toEqual([])
})

const at = Date.parse('2026-11-30T12:00:00Z')
const open: WeeklySchedule = {
  ...{ name: '', timezone: 'Asia/Kolkata', timing: { from: '09:00', to: '17:00' } },
  days: { 0: false, 1: true, 2: true, 3: true, 4: true, 5: true, 6: false },
}

test.each<[string, DayKey, { from: number; to: number }[]]>([
  ['Asia/Kolkata', 1, [{ from: 540, to: 1020 }]],
  ['Asia/Kolkata', 0, []],
  // 13 hours and a half behind.
  ['America/Los_Angeles', 0, [{ from: 1170, to: 1440 }]],
  [
    'America/Los_Angeles',
    1,
    [
      { from: 0, to: 210 },
      { from: 1170, to: 1440 },
    ],
  ],
  ['America/Los_Angeles', 5, [{ from: 0, to: 210 }]],
  ['America/Los_Angeles', 6, []],
  // 5 hours and a half ahead.
  ['Australia/Sydney', 1, [{ from: 870, to: 1350 }]],
  ['UTC', 1, [{ from: 210, to: 690 }]],
])('a schedule is drawn when it is open by the clocks of %s, on day %i', (zone, day, expected) => {
  expect(spansOn(day, open, zone, at)).toEqual(expected)
})

test('zones a day apart are drawn on another day', () => {
  const schedule = { ...open, timezone: 'Pacific/Kiritimati' }
  // 25 hours behind.
  expect(spansOn(0, schedule, 'Pacific/Pago_Pago', at)).toEqual([{ from: 480, to: 960 }])
  expect(spansOn(5, schedule, 'Pacific/Pago_Pago', at)).toEqual([])
})

test('a zone that only the server knows is listed, and its schedule is drawn by the clocks of UTC', () => {
  const timezone = 'America/Newest_City'
  expect(zonesNamed('newest city', zonesWith(timezone))).toEqual([timezone])
  expect(spansOn(1, { ...open, timezone }, 'Asia/Kolkata', at)).toEqual([{ from: 870, to: 1350 }])
  expect(dayIn(timezone, 0)).toBe(dayIn('UTC', 0))
})
