import { describe, expect, test } from 'vitest'
import { due, mailboxFacts, storedFacts } from '../../../../test/sending-facts.ts'
import { defaultSchedule } from '../schedule/schedule-schema.ts'
import type { MailboxFacts, StoredFacts } from './sending-facts.ts'
import { type SendingFacts, sendingStatus } from './sending-status.ts'

const monday = new Date('2026-11-23T10:00:00Z')
const sunday = new Date('2026-11-22T10:00:00Z')
const ended = { ...defaultSchedule, end_date: '2026-11-20' }

const later = '2026-11-23T10:00:01+00:00'

const isStored = (more: Partial<StoredFacts>) => ({ sending_facts: storedFacts(more) })

const leftPaused = { new_next: null, has_paused: true }

/** An active campaign that sends. */
const facts: SendingFacts = {
  status: 'active',
  status_reason: null,
  campaign_schedule: defaultSchedule,
  daily_limit: null,
  daily_max_leads: null,
  leadsActive: 3,
  leads_waiting: 0,
  ...{ leads_held_back: 0, held_back_for: null },
  sending_facts: storedFacts(),
}
const reasonOf = (changes: Partial<SendingFacts>, now = monday) =>
  sendingStatus({ ...facts, ...changes }, now).reason

const full = mailboxFacts({ full_days: ['2026-11-23'] })
const today = (sent: number, new_leads = 0) => ({ days: [{ day: '2026-11-23', sent, new_leads }] })

test('an active campaign with all it needs is sending inside its window', () => {
  expect(sendingStatus(facts, monday)).toEqual({
    ...{ state: 'sending', reason: null, leads_waiting_for_mailbox: 0 },
    ...{ leads_held_back: 0, held_back_for: null },
  })
})

test.each<[string, Partial<SendingFacts>, Date]>([
  ['draft', { status: 'draft', sending_facts: null }, monday],
  ['paused', { status: 'paused', sending_facts: null }, monday],
  ['bounce_protection', { status: 'paused', status_reason: 'bounce_protection' }, monday],
  ['completed', { status: 'completed', sending_facts: null }, monday],
  ['plan_required', isStored({ plan_api: false }), monday],
  ['restore_unconfirmed', isStored({ held: true }), monday],
  ['workspace_moving', isStored({ is_moving: true }), monday],
  ['no_mailbox', isStored({ mailboxes: null }), monday],
  ['mailboxes_unhealthy', isStored({ mailboxes: [mailboxFacts({ connected: false })] }), monday],
  ['schedule_ended', { campaign_schedule: ended }, monday],
  ['no_leads', { leadsActive: 0 }, monday],
  ['no_leads', isStored({ new_next: null }), monday],
  ['paused', isStored({ new_next: null, has_paused: true }), monday],
  ['waiting_for_mailbox', { leads_waiting: 2, ...isStored({ new_next: null }) }, monday],
  ['leads_held_back', { leads_held_back: 1, ...isStored(leftPaused) }, monday],
  ['leads_held_back', { leads_held_back: 1, ...isStored(leftPaused) }, sunday],
  [
    'waiting_for_mailbox',
    { leads_waiting: 2, leads_held_back: 1, ...isStored(leftPaused) },
    monday,
  ],
  ['no_leads', isStored({ new_next: null }), sunday],
  ['paused', isStored({ new_next: null, has_paused: true }), sunday],
  ['waiting_for_mailbox', { leads_waiting: 2, ...isStored({ new_next: null }) }, sunday],
  ['no_new_leads', { daily_max_leads: 0 }, monday],
  ['no_new_leads', { daily_max_leads: 0, ...isStored({ has_paused: true }) }, sunday],
  ['waiting_for_mailbox', { daily_max_leads: 0, leads_waiting: 2 }, monday],
  [
    'waiting_for_step_delay',
    { daily_max_leads: 0, ...isStored({ mailboxes: [mailboxFacts({ next: later })] }) },
    monday,
  ],
  ['outside_schedule', {}, sunday],
  ['waiting_for_step_delay', isStored({ new_next: later }), monday],
  [
    'waiting_for_step_delay',
    isStored({ new_next: null, mailboxes: [mailboxFacts({ next: later })] }),
    monday,
  ],
  ['campaign_daily_limit', { daily_limit: 5, ...isStored(today(5)) }, monday],
  ['campaign_daily_limit', { daily_max_leads: 5, ...isStored(today(9, 5)) }, monday],
  ['mailbox_daily_limits', isStored({ mailboxes: [full, full] }), monday],
])('%s: %j', (reason, changes, now) => {
  expect(sendingStatus({ ...facts, ...changes }, now)).toEqual({
    ...{ state: 'waiting', reason, leads_waiting_for_mailbox: changes.leads_waiting ?? 0 },
    ...{ leads_held_back: changes.leads_held_back ?? 0, held_back_for: null },
  })
})

describe('a campaign sends', () => {
  test.each<[string, Partial<SendingFacts>]>([
    ['with one more mail to its limit', { daily_limit: 6, ...isStored(today(5)) }],
    [
      'on another day than the one it was full on',
      { daily_limit: 5, ...isStored({ days: [{ day: '2026-11-22', sent: 5, new_leads: 0 }] }) },
    ],
    ['from the mailbox that is not full', isStored({ mailboxes: [full, mailboxFacts()] })],
    [
      'follow-ups, when no more new leads may be written to',
      {
        daily_max_leads: 0,
        ...isStored({ mailboxes: [mailboxFacts({ next: due })] }),
      },
    ],
    [
      'from a mailbox whose day is another',
      isStored({
        mailboxes: [mailboxFacts({ timezone: 'Pacific/Kiritimati', full_days: ['2026-11-23'] })],
      }),
    ],
  ])('%s', (_case, changes) => {
    expect(reasonOf(changes)).toBeNull()
  })
})

describe('follow-ups come from the mailbox of their thread', () => {
  const waiting = (...mailboxes: MailboxFacts[]) =>
    reasonOf(isStored({ new_next: null, mailboxes }))

  test('so another that has room does not help one that is full', () => {
    expect(waiting(mailboxFacts(), { ...full, next: due })).toBe('mailbox_daily_limits')
  })

  test('so another that is connected does not help one that is not', () => {
    expect(waiting(mailboxFacts(), mailboxFacts({ connected: false, next: due }))).toBe(
      'mailboxes_unhealthy',
    )
  })

  test('and wait until it was read, while new leads do not', () => {
    const unread = mailboxFacts({ is_read: false, next: due })
    expect(waiting(mailboxFacts(), unread)).toBe('mailboxes_unhealthy')
    expect(reasonOf(isStored({ mailboxes: [unread] }))).toBeNull()
  })
})

const noPlan = { plan_api: false }
const noMailbox = { mailboxes: null }
const over = { campaign_schedule: ended }
const noLeads = { leadsActive: 0 }

test.each<[string, Partial<SendingFacts>]>([
  ['plan_required', { ...isStored({ ...noPlan, ...noMailbox }), ...over, ...noLeads }],
  ['no_mailbox', { ...isStored(noMailbox), ...over, ...noLeads }],
  ['schedule_ended', { ...over, ...noLeads }],
  ['no_leads', noLeads],
])('%s, which a person has to mend, is told before what follows it', (reason, changes) => {
  expect(reasonOf(changes, sunday)).toBe(reason)
})

test('a schedule whose last window has closed is ended on its last day already', () => {
  const campaign_schedule = { ...defaultSchedule, end_date: '2026-11-23' }
  const evening = new Date('2026-11-23T17:00:00Z')
  expect(reasonOf({ campaign_schedule }, evening)).toBe('schedule_ended')
})
