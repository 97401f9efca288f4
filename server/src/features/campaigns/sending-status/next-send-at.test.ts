import { expect, test } from 'vitest'
import { due, mailboxFacts, storedFacts } from '../../../../test/sending-facts.ts'
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

test('mailboxes that are full send again on the first of their own next days', () => {
  const inZone = (timezone: string) => mailboxFacts({ timezone, full_days: ['2026-11-23'] })
  const next = (...zones: string[]) =>
    nextSendAt(
      campaign,
      storedFacts({ mailboxes: zones.map(inZone) }),
      'mailbox_daily_limits',
      monday,
    )
  expect(next('America/New_York')).toEqual(new Date('2026-11-24T05:00:00Z'))
  expect(next('America/New_York', 'Asia/Tokyo')).toEqual(new Date('2026-11-23T15:00:00Z'))
})

test('a limit of new leads keeps no follow-up back, and that of all mails does', () => {
  const next = '2026-11-23T12:00:00+00:00'
  const mailboxes = [mailboxFacts({ next })]
  const at = (sent: number, more: Partial<StoredFacts> = {}) => {
    const days = [{ day: '2026-11-23', sent, new_leads: 5 }]
    const known = storedFacts({ mailboxes, days, ...more })
    return nextSendAt(campaign, known, 'campaign_daily_limit', monday)
  }
  const tomorrow = new Date('2026-11-24T00:00:00Z')
  expect(at(5)).toEqual(new Date(next))
  expect(at(50)).toEqual(tomorrow)
  expect(at(5, { mailboxes: [mailboxFacts({ next: due, is_read: false })] })).toEqual(tomorrow)
})

test('a campaign that may write to no new leads has a next mail only where a follow-up is to come', () => {
  const next = '2026-11-25T12:00:00+00:00'
  const at = (mailboxes: MailboxFacts[], reason: WaitingReason) =>
    nextSendAt({ ...campaign, daily_max_leads: 0 }, storedFacts({ mailboxes }), reason, monday)
  expect(at([mailboxFacts()], 'campaign_daily_limit')).toBeNull()
  expect(at([mailboxFacts()], 'outside_schedule')).toBeNull()
  expect(at([mailboxFacts({ next })], 'campaign_daily_limit')).toEqual(new Date(next))
})

test('a mailbox that has room sends when its own next mail is due, whatever another one has sent', () => {
  const next = '2026-11-23T15:00:00+00:00'
  const full = mailboxFacts({ full_days: ['2026-11-23'], next: due })
  const known = storedFacts({ new_next: null, mailboxes: [full, mailboxFacts({ next })] })
  expect(nextSendAt(campaign, known, 'mailbox_daily_limits', monday)).toEqual(new Date(next))
})

test('what is due from a mailbox that does not work is no next mail', () => {
  const saturday = new Date('2026-11-21T10:00:00Z')
  const broken = mailboxFacts({ connected: false, next: '2026-11-20T15:00:00+00:00' })
  const known = storedFacts({
    ...{ new_next: null },
    mailboxes: [broken, mailboxFacts({ next: '2026-11-26T10:00:00+00:00' })],
  })
  const weekdays = { ...campaign, campaign_schedule: defaultSchedule }
  expect(nextSendAt(weekdays, known, 'outside_schedule', saturday)).toEqual(
    new Date('2026-11-26T10:00:00Z'),
  )
})

test('a day whose limit is reached has no next mail, for whatever the campaign waits', () => {
  const [weekly] = defaultSchedule.schedules
  const at = (from: string, to: string) => ({ ...weekly, timing: { from, to } })
  const twiceADay = {
    ...campaign,
    campaign_schedule: {
      ...defaultSchedule,
      schedules: [at('09:00', '11:00'), at('15:00', '17:00')],
    } as typeof defaultSchedule,
  }
  const noon = new Date('2026-11-23T12:00:00Z')
  const next = '2026-11-23T15:30:00+00:00'
  const on = (days: StoredFacts['days'], full_days: string[] = []) => {
    const mailboxes = [mailboxFacts({ next, full_days })]
    return nextSendAt(twiceADay, storedFacts({ mailboxes, days }), 'outside_schedule', noon)
  }
  const tomorrow = new Date('2026-11-24T09:00:00Z')
  const today = { day: '2026-11-23', sent: 5, new_leads: 0 }
  expect(on([today])).toEqual(new Date('2026-11-23T15:00:00Z'))
  expect(on([{ ...today, new_leads: 5 }])).toEqual(new Date(next))
  expect(on([{ ...today, sent: 50 }])).toEqual(tomorrow)
  expect(on([today], ['2026-11-23'])).toEqual(tomorrow)
})
