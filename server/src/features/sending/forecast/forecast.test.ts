import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  afterSend,
  followedLead,
  newLead,
  noHistory,
  plannedCampaign,
  plannedMailbox,
  plannedSchedule,
  plannedStep,
  plannedSteps,
  plannedWindow,
  type SendingState,
} from '../../../../test/planning.ts'
import { dayOf } from '../../../kernel/calendar.ts'
import { afterDelay, nextStep, zoneOf } from '../../campaigns/index.ts'
import {
  type PlannedCampaign,
  type PlannedLead,
  type PlannedMailbox,
  type PlannedSend,
  planSends,
  type SendHistory,
} from '../planning/plan.ts'
import { forecast } from './forecast.ts'
import type { Cohort } from './forecast-backlog.ts'

const monday = new Date('2026-11-23T08:00:00Z')
const created = new Date('2026-11-20T08:00:00Z')

const pending = (leads: number, due = created): Cohort => ({
  sending_state: 'pending',
  mailbox_id: null,
  sent_step_ids: [],
  current_step: 0,
  due,
  leads,
})

const weekdays = plannedSchedule(plannedWindow('09:00', '17:00', 'UTC', { '0': false, '6': false }))
const threeSteps = plannedSteps(
  plannedStep('s1'),
  plannedStep('s2', { delay: 2 }),
  plannedStep('s3', { delay: 3 }),
)

interface Given {
  campaign?: Partial<PlannedCampaign>
  mailboxes?: PlannedMailbox[]
  cohorts?: Cohort[]
  history?: SendHistory
  daysMax?: number
}

const run = ({ campaign, mailboxes, cohorts, history, daysMax = 400 }: Given) =>
  forecast(
    monday,
    plannedCampaign({ schedule: weekdays, steps: threeSteps, ...campaign }),
    mailboxes ?? [plannedMailbox()],
    cohorts ?? [pending(10)],
    history ?? noHistory(),
    daysMax,
  )

const calendar = (given: Given) =>
  run(given).days.map(({ date, sends, new_leads, limited_by }) => [
    date.slice(5),
    sends,
    new_leads,
    limited_by,
  ])

test('every mail of every lead is in the calendar, weekends and waiting days included', () => {
  expect(calendar({})).toEqual([
    ['11-23', 10, 10, 'waiting_for_step_delay'],
    ['11-24', 0, 0, 'waiting_for_step_delay'],
    ['11-25', 10, 0, 'waiting_for_step_delay'],
    ['11-26', 0, 0, 'waiting_for_step_delay'],
    ['11-27', 0, 0, 'waiting_for_step_delay'],
    ['11-28', 0, 0, 'outside_schedule'],
    ['11-29', 0, 0, 'outside_schedule'],
    ['11-30', 10, 0, null],
  ])
  expect(run({})).toMatchObject({ sends: 30, ends: 'all_sent', unsent: 0, held: [] })
  expect(run({}).last_send_at).toEqual(new Date('2026-11-30T09:00:00Z'))
})

describe('each day says what limits it', () => {
  const steps = [plannedStep('s1')]
  test.each<[string, Given, unknown[][]]>([
    [
      'the campaign’s limit',
      { campaign: { steps, daily_limit: 6 } },
      [
        [6, 'campaign_daily_limit'],
        [4, null],
      ],
    ],
    [
      'its limit of new leads',
      { campaign: { steps, daily_max_leads: 6 } },
      [
        [6, 'new_lead_limit'],
        [4, null],
      ],
    ],
    [
      'the mailboxes’ limits',
      {
        campaign: { steps },
        mailboxes: [
          plannedMailbox('m1', { daily_limit: 3 }),
          plannedMailbox('m2', { daily_limit: 4 }),
        ],
      },
      [
        [7, 'mailbox_daily_limits'],
        [3, null],
      ],
    ],
    [
      'a mailbox that warms up',
      {
        campaign: { steps },
        mailboxes: [plannedMailbox('m1', { ramp_up: { start: 2, step: 3, from: '2026-11-23' } })],
      },
      [
        [2, 'mailbox_daily_limits'],
        [5, 'mailbox_daily_limits'],
        [3, null],
      ],
    ],
    [
      'gaps that fill the window',
      { campaign: { steps, email_gap: 90 } },
      [
        [6, 'mailbox_busy'],
        [4, null],
      ],
    ],
    [
      'what was sent today already',
      {
        campaign: { steps, daily_limit: 6 },
        history: { ...noHistory(), campaignDay: { day: '2026-11-23', sent: 5, new_leads: 5 } },
      },
      [
        [1, 'campaign_daily_limit'],
        [6, 'campaign_daily_limit'],
        [3, null],
      ],
    ],
    [
      'nothing, when the one that is full is not needed',
      {
        campaign: { steps, email_gap: 10 },
        mailboxes: [plannedMailbox('m1', { daily_limit: 2 }), plannedMailbox('m2')],
      },
      [[10, null]],
    ],
  ])('%s', (_case, given, expected) => {
    expect(run(given).days.map(({ sends, limited_by }) => [sends, limited_by])).toEqual(expected)
  })
})

test('it tells how many of a day come from which mailbox', () => {
  const mailboxes = [plannedMailbox('m1', { daily_limit: 3 }), plannedMailbox('m2')]
  const campaign = { steps: [plannedStep('s1')], email_gap: 1 }
  expect(run({ campaign, mailboxes }).days[0]?.mailboxes).toEqual([
    { mailbox_id: 'm1', sends: 3 },
    { mailbox_id: 'm2', sends: 7 },
  ])
})

test('who gets nothing more until something changes is told with what it is', () => {
  const follow = (more: Partial<Cohort>): Cohort => ({
    sending_state: 'active',
    mailbox_id: 'mailbox-1',
    sent_step_ids: ['s1'],
    current_step: 1,
    due: created,
    leads: 1,
    ...more,
  })
  const disabled = plannedStep('s3', {
    delay: 3,
    variants: [{ id: 'v', number: 1, v_disabled: true }],
  })
  const cohorts = [
    pending(2),
    { ...pending(3), sending_state: 'paused' as const },
    follow({ mailbox_id: 'gone', leads: 4 }),
    follow({ sent_step_ids: ['s1', 's2', 's3'], leads: 5 }),
    follow({ sent_step_ids: ['s1', 's2'], leads: 6 }),
    follow({ due: new Date('2026-11-01'), leads: 7 }),
  ]
  const campaign = {
    steps: plannedSteps(...threeSteps.slice(0, 2), disabled),
    expire_after_days: 5,
  }
  const { held, sends, unsent, recipients } = run({ campaign, cohorts })
  expect(Object.fromEntries(held.map(({ reason, leads }) => [reason, leads]))).toEqual({
    lead_paused: 3,
    mailbox_unavailable: 4,
    no_step_left: 5,
    no_enabled_variant: 6 + 2,
    expired: 7,
  })
  expect([sends, unsent, recipients]).toEqual([4, 0, 2])
})

test('whose follow-up will expire gets the mail before it', () => {
  const campaign = { daily_limit: 4, expire_after_days: 1 }
  const { held, recipients } = run({ campaign })
  expect(held).toEqual([{ reason: 'expired', leads: expect.any(Number) }])
  expect(recipients).toBe(10)
})

test('whose follow-up expires before it can leave, though it is not due yet, gets none', () => {
  const due = new Date('2026-11-25T08:00:00Z')
  const followUp = { ...pending(7, due), sending_state: 'active' as const, sent_step_ids: ['s1'] }
  const cohorts = [{ ...followUp, mailbox_id: 'mailbox-1', current_step: 1 }]
  const schedule = { ...weekdays, start_date: '2026-12-14' }
  expect(run({ campaign: { schedule, expire_after_days: 2 }, cohorts })).toMatchObject({
    ...{ sends: 0, recipients: 0, held: [{ reason: 'expired', leads: 7 }] },
  })
})

test('mails that do not fit before the last day, or into the days looked at, are counted', () => {
  const campaign = { daily_limit: 4, schedule: { ...weekdays, end_date: '2026-11-24' } }
  expect(run({ campaign })).toMatchObject({
    ...{ sends: 8, recipients: 8, unsent: 22, ends: 'schedule_ended' },
  })
  expect(run({ campaign: { daily_limit: 4 }, daysMax: 3 })).toMatchObject({
    sends: 12,
    // The others have their turn after the days that are looked at.
    recipients: 10,
    unsent: 18,
    ends: 'days_max',
  })
})

test('a campaign that may begin with nobody reaches nobody', () => {
  expect(run({ campaign: { daily_max_leads: 0 } })).toMatchObject({ sends: 0, recipients: 0 })
})

test('without a mailbox that is connected nothing is sent', () => {
  expect(run({ mailboxes: [] })).toEqual({
    days: [],
    sends: 0,
    recipients: 0,
    last_send_at: null,
    ends: 'all_sent',
    unsent: 0,
    held: [{ reason: 'mailboxes_unhealthy', leads: 10 }],
  })
})

const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata')
const start = fc
  .tuple(fc.constantFrom('2026-03-07', '2026-03-27', '2026-10-23', '2026-10-30'), fc.nat(1440))
  .map(([date, minutes]) => new Date(Date.parse(`${date}T00:00Z`) + minutes * 60_000))
const hour = fc.nat(24).map((hour) => `${`${hour}`.padStart(2, '0')}:00`)
const schedule = fc
  .array(
    fc
      .tuple(hour, hour, zone, fc.boolean())
      .filter(([from, to]) => from < to)
      .map(([from, to, zone, sunday]) => plannedWindow(from, to, zone, { '0': sunday })),
    { minLength: 1, maxLength: 2 },
  )
  .map((windows) => plannedSchedule(...windows))
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
const stepIds = ['s1', 's2', 's3']
const campaign = fc
  .record({
    schedule,
    steps: fc
      .array(fc.tuple(fc.nat(3), fc.constantFrom('hours', 'days')), { minLength: 1, maxLength: 3 })
      .map((delays) =>
        plannedSteps(
          ...delays.map(([delay, delay_unit], i) =>
            plannedStep(stepIds[i] as string, { delay, delay_unit }),
          ),
        ),
      ),
    daily_limit: orNull(fc.integer({ min: 1, max: 9 })),
    daily_max_leads: orNull(fc.integer({ min: 1, max: 5 })),
    email_gap: fc.integer({ min: 1, max: 120 }),
    prioritize_new_leads: fc.boolean(),
    expire_after_days: orNull(fc.integer({ min: 1, max: 4 })),
  })
  .map(plannedCampaign)
const mailboxes = fc.tuple(
  ...['m1', 'm2'].map((id) =>
    fc
      .record({
        timezone: orNull(zone),
        daily_limit: fc.integer({ min: 1, max: 6 }),
        gap_seconds: fc.nat(7200),
        ramp_up: orNull(
          fc.record({
            start: fc.integer({ min: 1, max: 3 }),
            step: fc.nat(2),
            from: fc.constant('2026-03-05'),
          }),
        ),
      })
      .map((more) => plannedMailbox(id, more)),
  ),
)
const leads = (at: Date) =>
  fc
    .array(fc.tuple(fc.nat(3), fc.constantFrom('m1', 'm2'), fc.nat(24 * 6)), { maxLength: 20 })
    .map((all) =>
      all.map(([sent, mailbox_id, hoursAgo], i) => {
        // No two at the same instant: which of them is first is not told by a cohort.
        const before = new Date(at.getTime() - hoursAgo * 3_600_000 - i * 1009)
        return sent === 0
          ? newLead(`lead-${i}`, { timestamp_created: before })
          : followedLead(`lead-${i}`, stepIds.slice(0, sent), before.toISOString(), { mailbox_id })
      }),
    )

/** What a runner would do that plans, sends what is due, and sleeps until it is worth planning. */
function sendAll(at: Date, campaign: PlannedCampaign, state: SendingState): PlannedSend[] {
  const sent: PlannedSend[] = []
  for (let now = at; ; ) {
    const { leads, mailboxes, history } = state
    const plan = planSends(now, campaign, mailboxes, leads, history)
    const due = plan.sends.find((send) => send.at.getTime() <= now.getTime())
    if (due) {
      sent.push(due)
      state = afterSend(campaign, state, due)
    } else if (plan.next) now = plan.next
    else return sent
  }
}

function cohortsOf(campaign: PlannedCampaign, leads: PlannedLead[]): Cohort[] {
  return leads.map((lead): Cohort => {
    const step = nextStep(campaign.steps, lead)
    const from = lead.last_sent_at ?? lead.timestamp_created
    return {
      sending_state: lead.sent_step_ids.length === 0 ? 'pending' : 'active',
      mailbox_id: lead.mailbox_id,
      sent_step_ids: lead.sent_step_ids,
      current_step: lead.current_step,
      due: step ? afterDelay(zoneOf(campaign.schedule), step, from) : from,
      leads: 1,
    }
  })
}

test('the forecast is what comes of planning, sending and planning again', () => {
  const anyCase = start.chain((at) =>
    fc.record({ at: fc.constant(at), campaign, mailboxes, leads: leads(at) }),
  )
  fc.assert(
    fc.property(anyCase, ({ at, campaign, mailboxes, leads }) => {
      const sent = sendAll(at, campaign, { leads, mailboxes, history: noHistory() })
      const zone = campaign.schedule.schedules[0]?.timezone ?? 'UTC'
      const expected = new Map<string, number>()
      for (const send of sent) {
        const key = `${dayOf(zone, send.at)} ${send.mailbox_id}`
        expected.set(key, (expected.get(key) ?? 0) + 1)
      }
      const cohorts = cohortsOf(campaign, leads)
      const told = forecast(at, campaign, mailboxes, cohorts, noHistory(), 200)
      const days = told.days.flatMap(({ date, mailboxes }) =>
        mailboxes.map(({ mailbox_id, sends }) => [`${date} ${mailbox_id}`, sends] as const),
      )
      expect(Object.fromEntries(days)).toEqual(Object.fromEntries(expected))
      expect(told.last_send_at).toEqual(sent.at(-1)?.at ?? null)
    }),
    { numRuns: 100 },
  )
})
