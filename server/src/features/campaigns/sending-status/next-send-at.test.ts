import { expect, test } from 'vitest'
import { defaultSchedule } from '../schedule/schedule-schema.ts'
import type { WaitingReason } from '../schema.ts'
import { nextSendAt } from './next-send-at.ts'
import type { MailboxFacts, StoredFacts } from './sending-facts.ts'

const monday = new Date('2026-11-23T10:00:00Z')
const always = {
  ...defaultSchedule,
  schedules: defaultSchedule.schedules.map((each) => ({
    ...each,
    timing: { from: '00:00', to: '23:59' },
  })),
}
const campaign = { campaign_schedule: always, daily_limit: 50, daily_max_leads: 5 }
const due = '2026-11-23T09:00:00+00:00'

const mailbox = (more: Partial<MailboxFacts> = {}): MailboxFacts => ({
  connected: true,
  is_read: true,
  ...{ timezone: null, full_days: [], next: null },
  ...more,
})
const facts = (more: Partial<StoredFacts>): StoredFacts => ({
  ...{ plan_api: true, held: false, new_next: due, has_paused: false, days: null },
  mailboxes: [mailbox()],
  ...more,
})

test('mailboxes that are full send again on the first of their own next days', () => {
  const inZone = (timezone: string) => mailbox({ timezone, full_days: ['2026-11-23'] })
  const next = (...zones: string[]) =>
    nextSendAt(campaign, facts({ mailboxes: zones.map(inZone) }), 'mailbox_daily_limits', monday)
  expect(next('America/New_York')).toEqual(new Date('2026-11-24T05:00:00Z'))
  expect(next('America/New_York', 'Asia/Tokyo')).toEqual(new Date('2026-11-23T15:00:00Z'))
})

test('a limit of new leads keeps no follow-up back, and that of all mails does', () => {
  const next = '2026-11-23T12:00:00+00:00'
  const mailboxes = [mailbox({ next })]
  const at = (sent: number, more: Partial<StoredFacts> = {}) => {
    const days = [{ day: '2026-11-23', sent, new_leads: 5 }]
    const known = facts({ mailboxes, days, ...more })
    return nextSendAt(campaign, known, 'campaign_daily_limit', monday)
  }
  const tomorrow = new Date('2026-11-24T00:00:00Z')
  expect(at(5)).toEqual(new Date(next))
  expect(at(50)).toEqual(tomorrow)
  expect(at(5, { mailboxes: [mailbox({ next: due, is_read: false })] })).toEqual(tomorrow)
})

test('a campaign that may write to no new leads has a next mail only where a follow-up is to come', () => {
  const next = '2026-11-25T12:00:00+00:00'
  const at = (mailboxes: MailboxFacts[], reason: WaitingReason) =>
    nextSendAt({ ...campaign, daily_max_leads: 0 }, facts({ mailboxes }), reason, monday)
  expect(at([mailbox()], 'campaign_daily_limit')).toBeNull()
  expect(at([mailbox()], 'outside_schedule')).toBeNull()
  expect(at([mailbox({ next })], 'campaign_daily_limit')).toEqual(new Date(next))
})
