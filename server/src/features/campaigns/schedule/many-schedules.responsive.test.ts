import { expect, test } from 'vitest'
import { longestTurnMs } from '../../../../test/longest-turn.ts'
import { windowState } from './schedule.ts'
import type { CampaignSchedule } from './schedule-schema.ts'

/** Of processor time; what another client may have to wait for its answer. */
const heldMaxMs = 100

const zones = [
  ...['Europe/Berlin', 'Africa/Cairo', 'Asia/Kolkata', 'Asia/Tokyo', 'Australia/Lord_Howe'],
  ...['America/Havana', 'America/New_York', 'America/St_Johns', 'Pacific/Apia', 'Pacific/Auckland'],
]
const noDay = { '0': false, '1': false, '2': false, '3': false, '4': false, '5': false, '6': false }
const weekdays = { ...noDay, '1': true, '2': true, '3': true, '4': true, '5': true }

const schedule = (days: typeof noDay, end_date: string | null = null): CampaignSchedule => ({
  ...{ start_date: null, end_date },
  schedules: zones.map((timezone) => ({
    ...{ name: 'Office hours', timing: { from: '09:00', to: '09:30' }, days, timezone },
  })),
})

const monday = new Date('2026-11-23T11:45:00Z')

test.each([
  ['is over', schedule(weekdays, '2026-11-20')],
  ['ends before it opens again', schedule({ ...noDay, '0': true }, '2026-11-28')],
  ['opens once a week', schedule({ ...noDay, '0': true })],
  ['opens on working days', schedule(weekdays)],
])('a list of 100 campaigns whose schedule %s holds up nobody', async (_, of) => {
  const heldMs = await longestTurnMs(heldMaxMs, async () => {
    for (let campaign = 0; campaign < 100; campaign++) {
      // For its reason not to send, and for the time of its next mail.
      windowState(of, monday)
      windowState(of, monday)
    }
  })
  expect(heldMs).toBeLessThan(heldMaxMs)
})
