import { expect, test } from 'vitest'
import { defaultSchedule } from './schedule-schema.ts'
import { type SendingFacts, sendingStatus } from './sending-status.ts'

const monday = new Date('2026-11-23T10:00:00Z')
const sunday = new Date('2026-11-22T10:00:00Z')
const ended = { ...defaultSchedule, end_date: '2026-11-20' }

/** An active campaign that sends. */
const facts: SendingFacts = {
  status: 'active',
  status_reason: null,
  campaign_schedule: defaultSchedule,
  leadsActive: 3,
  planAllows: true,
  mailboxConnected: true,
}

test('an active campaign with all it needs is sending inside its window', () => {
  expect(sendingStatus(facts, monday)).toEqual({ state: 'sending', reason: null })
})

test.each<[string, Partial<SendingFacts>, Date]>([
  ['draft', { status: 'draft' }, monday],
  ['paused', { status: 'paused' }, monday],
  ['bounce_protection', { status: 'paused', status_reason: 'bounce_protection' }, monday],
  ['completed', { status: 'completed' }, monday],
  ['plan_required', { planAllows: false }, monday],
  ['no_mailbox', { mailboxConnected: null }, monday],
  ['mailboxes_unhealthy', { mailboxConnected: false }, monday],
  ['schedule_ended', { campaign_schedule: ended }, monday],
  ['no_leads', { leadsActive: 0 }, monday],
  ['outside_schedule', {}, sunday],
])('%s', (reason, changes, now) => {
  expect(sendingStatus({ ...facts, ...changes }, now)).toEqual({ state: 'waiting', reason })
})

test('a schedule whose last window has closed is ended on its last day already', () => {
  const campaign_schedule = { ...defaultSchedule, end_date: '2026-11-23' }
  const evening = new Date('2026-11-23T17:00:00Z')
  expect(sendingStatus({ ...facts, campaign_schedule }, evening).reason).toBe('schedule_ended')
})

const noPlan = { planAllows: false }
const noMailbox = { mailboxConnected: null }
const over = { campaign_schedule: ended }
const noLeads = { leadsActive: 0 }

test.each<[string, Partial<SendingFacts>]>([
  ['plan_required', { ...noPlan, ...noMailbox, ...over, ...noLeads }],
  ['no_mailbox', { ...noMailbox, ...over, ...noLeads }],
  ['schedule_ended', { ...over, ...noLeads }],
  ['no_leads', noLeads],
])('%s, which a person has to mend, is told before what follows it', (reason, changes) => {
  expect(sendingStatus({ ...facts, ...changes }, sunday).reason).toBe(reason)
})
