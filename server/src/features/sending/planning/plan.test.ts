import { describe, expect, test } from 'vitest'
import {
  followedLead,
  newLead,
  noHistory,
  plannedCampaign,
  plannedMailbox,
  plannedSchedule,
  plannedStep,
  plannedSteps,
  plannedWindow,
} from '../../../../test/planning.ts'
import {
  gapAfter,
  mailboxLimit,
  type PlannedCampaign,
  type PlannedLead,
  type PlannedMailbox,
  planSends,
  type SendHistory,
  variantOf,
} from './plan.ts'

const monday = '2026-11-23T10:00:00Z'

interface Given {
  now?: string
  campaign?: Partial<PlannedCampaign>
  mailboxes?: PlannedMailbox[]
  leads?: PlannedLead[]
  history?: SendHistory
}

const plan = ({ now = monday, campaign, mailboxes, leads, history }: Given) =>
  planSends(
    new Date(now),
    plannedCampaign(campaign),
    mailboxes ?? [plannedMailbox()],
    leads ?? [newLead('lead-1')],
    history ?? noHistory(),
  )

/** Who is written to when, and from where if there are several. */
const sendsOf = (given: Given) =>
  plan(given).sends.map(({ lead_id, at, mailbox_id }) => [
    lead_id,
    at.toISOString().replace(':00.000Z', 'Z'),
    ...((given.mailboxes?.length ?? 1) > 1 ? [mailbox_id] : []),
  ])

/** Why the only lead waits, and until when. */
const waitOf = (given: Given) => {
  const { sends, waiting } = plan(given)
  expect(sends).toEqual([])
  const [lead] = waiting
  return [lead?.reason, lead?.until?.toISOString().replace(':00.000Z', 'Z') ?? null]
}

const twoSteps = plannedSteps(plannedStep('step-1'), plannedStep('step-2', { delay: 1 }))
const between = (from: string, to: string, zone: string) => ({
  schedule: plannedSchedule(plannedWindow(from, to, zone)),
})

test('a lead that is due gets its first step now', () => {
  const { sends, waiting, next } = plan({})
  expect(sends).toEqual([
    {
      lead_id: 'lead-1',
      step_id: 'step-1',
      step: 1,
      variant_id: 'step-1-a',
      variant: 1,
      mailbox_id: 'mailbox-1',
      at: new Date(monday),
      until: new Date('2026-11-24T00:00:00Z'),
      isNew: true,
      after_step_id: null,
    },
  ])
  expect(waiting).toEqual([])
  expect(next).toBeNull()
})

describe('windows', () => {
  test.each([
    [
      'in Berlin, opens at the first instant after the gap',
      '02:30',
      '04:00',
      'Europe/Berlin',
      '2026-03-28T20:00Z',
      '2026-03-29T01:00Z',
    ],
    [
      'in New York, opens at the first instant after the gap',
      '02:15',
      '04:00',
      'America/New_York',
      '2026-03-08T00:00Z',
      '2026-03-08T07:00Z',
    ],
    [
      'on Lord Howe, whose gap is half an hour',
      '02:10',
      '04:00',
      'Australia/Lord_Howe',
      '2026-10-03T00:00Z',
      '2026-10-03T15:30Z',
    ],
    [
      'in Kolkata, which has no gap',
      '09:00',
      '17:00',
      'Asia/Kolkata',
      '2026-03-28T13:00Z',
      '2026-03-29T03:30Z',
    ],
    [
      'in Apia, on the day after the one that never was',
      '09:00',
      '17:00',
      'Pacific/Apia',
      '2011-12-30T04:00Z',
      '2011-12-30T19:00Z',
    ],
    [
      'in Berlin, after the clocks went back',
      '09:00',
      '17:00',
      'Europe/Berlin',
      '2026-10-24T20:00Z',
      '2026-10-25T08:00Z',
    ],
    [
      'in Berlin, the second time that it is half past two',
      '02:30',
      '02:45',
      'Europe/Berlin',
      '2026-10-25T00:50Z',
      '2026-10-25T01:30Z',
    ],
  ])('%s: %s to %s in %s, seen from %s, is %s', (_case, from, to, zone, now, opens) => {
    const lead = newLead('lead-1', { timestamp_created: new Date('2011-01-01') })
    expect(waitOf({ now, campaign: between(from, to, zone), leads: [lead] })).toEqual([
      'outside_schedule',
      opens,
    ])
  })

  test.each([
    [
      'a day of the week that is off',
      { schedule: plannedSchedule(plannedWindow('09:00', '17:00', 'UTC', { '1': false })) },
      ['outside_schedule', '2026-11-24T09:00Z'],
    ],
    [
      'before the first day',
      {
        schedule: { ...plannedSchedule(plannedWindow('09:00', '17:00')), start_date: '2026-12-01' },
      },
      ['outside_schedule', '2026-12-01T09:00Z'],
    ],
    [
      'after the last day',
      { schedule: { ...plannedSchedule(plannedWindow('09:00', '17:00')), end_date: '2026-11-22' } },
      ['schedule_ended', null],
    ],
    [
      'a second window opens first',
      {
        schedule: plannedSchedule(
          plannedWindow('13:00', '17:00'),
          plannedWindow('06:00', '07:00', 'America/New_York'),
        ),
      },
      ['outside_schedule', '2026-11-23T11:00Z'],
    ],
  ])('%s', (_case, campaign, expected) => {
    expect(waitOf({ campaign })).toEqual(expected)
  })

  test('what does not fit into the last window has none', () => {
    const schedule = { ...plannedSchedule(plannedWindow('09:00', '17:00')), end_date: '2026-11-23' }
    const campaign = { schedule, daily_limit: 1, steps: twoSteps }
    const leads = [
      newLead('a'),
      newLead('b'),
      followedLead('c', ['step-1'], '2026-11-23T09:00:00Z'),
    ]
    const { sends, waiting } = plan({ campaign, leads })
    expect(sends.map(({ lead_id }) => lead_id)).toEqual(['a'])
    expect(waiting).toEqual([
      { lead_id: 'b', reason: 'schedule_ended', until: null },
      { lead_id: 'c', reason: 'schedule_ended', until: null },
    ])
  })

  test('nothing is planned at or after the instant at which the window closes', () => {
    const campaign = { ...between('09:00', '10:10', 'UTC'), email_gap: 5 }
    const leads = ['a', 'b', 'c'].map((id) => newLead(id))
    expect(sendsOf({ campaign, leads })).toEqual([
      ['a', '2026-11-23T10:00Z'],
      ['b', '2026-11-23T10:05Z'],
    ])
    const { waiting } = plan({ campaign, leads })
    expect(waiting).toEqual([
      { lead_id: 'c', reason: 'mailbox_busy', until: new Date('2026-11-24T09:00Z') },
    ])
  })
})

describe('delays', () => {
  const step = (delay: number, delay_unit: 'minutes' | 'hours' | 'days') => ({
    steps: plannedSteps(plannedStep('step-1'), plannedStep('step-2', { delay, delay_unit })),
  })

  test.each([
    ['a day in Berlin is 23 hours', 'Europe/Berlin', '2026-03-28T08:00:00Z', '2026-03-29T07:00Z'],
    ['a day in Berlin is 25 hours', 'Europe/Berlin', '2026-10-24T07:00:00Z', '2026-10-25T08:00Z'],
    [
      'a day in New York is 23 hours',
      'America/New_York',
      '2026-03-07T14:00:00Z',
      '2026-03-08T13:00Z',
    ],
    [
      'a day on Lord Howe is 23.5 hours',
      'Australia/Lord_Howe',
      '2026-10-03T00:00:00Z',
      '2026-10-03T23:30Z',
    ],
    ['a day in Kolkata is 24 hours', 'Asia/Kolkata', '2026-03-28T08:00:00Z', '2026-03-29T08:00Z'],
    [
      'a day later than the 29th in Apia is the 31st',
      'Pacific/Apia',
      '2011-12-29T20:00:00Z',
      '2011-12-30T20:00Z',
    ],
  ])('%s', (_case, zone, sentAt, due) => {
    const campaign = { ...step(1, 'days'), ...between('00:00', '24:00', zone) }
    const leads = [followedLead('lead-1', ['step-1'], sentAt)]
    const now = new Date(Date.parse(sentAt) + 60_000).toISOString()
    const [lead] = [...plan({ now, campaign, leads }).waiting]
    const at = lead?.until?.toISOString() ?? sendsOf({ now, campaign, leads })[0]?.[1]
    expect(at?.replace(':00.000Z', 'Z')).toBe(due)
  })

  test('of the first step count from when the lead was added', () => {
    const campaign = { steps: [plannedStep('step-1', { delay: 2, delay_unit: 'hours' })] }
    const leads = [newLead('lead-1', { timestamp_created: new Date('2026-11-23T09:00:00Z') })]
    expect(sendsOf({ campaign, leads })).toEqual([['lead-1', '2026-11-23T11:00Z']])
  })

  test('of a follow-up count from the actual send, and from when the lead is back', () => {
    const leads = [
      followedLead('a', ['step-1'], '2026-11-23T09:59:00Z'),
      followedLead('b', ['step-1'], '2026-11-23T09:00:00Z', {
        not_before: new Date('2026-11-23T12:00:00Z'),
      }),
      followedLead('c', ['step-1'], '2026-11-23T11:00:00Z', {
        not_before: new Date('2026-11-23T12:00:00Z'),
      }),
    ]
    expect(sendsOf({ campaign: step(90, 'minutes'), leads })).toEqual([
      ['a', '2026-11-23T11:29Z'],
      ['b', '2026-11-23T12:00Z'],
      ['c', '2026-11-23T12:30Z'],
    ])
  })

  test('beyond the window wait for the first opening after them', () => {
    const campaign = { ...step(3, 'days'), ...between('09:00', '17:00', 'UTC') }
    const leads = [followedLead('lead-1', ['step-1'], '2026-11-22T16:00:00Z')]
    expect(waitOf({ campaign, leads })).toEqual(['waiting_for_step_delay', '2026-11-25T16:00Z'])
    const late = [followedLead('lead-1', ['step-1'], '2026-11-22T18:00:00Z')]
    expect(waitOf({ campaign, leads: late })).toEqual([
      'waiting_for_step_delay',
      '2026-11-26T09:00Z',
    ])
  })
})

describe('limits', () => {
  const three = ['a', 'b', 'c'].map((id) => newLead(id))
  const office = between('09:00', '17:00', 'Europe/Berlin')
  const today = (sent: number, new_leads = 0, mailbox = 0, day = '2026-11-23'): SendHistory => ({
    campaignDay: { day, sent, new_leads },
    mailboxDays: new Map([['mailbox-1', { day, sent: mailbox }]]),
  })

  test.each<[string, Given, string[], [string, string]]>([
    [
      'the campaign’s',
      { campaign: { ...office, daily_limit: 5 }, history: today(3) },
      ['a', 'b'],
      ['campaign_daily_limit', '2026-11-24T08:00Z'],
    ],
    [
      'of new leads',
      { campaign: { ...office, daily_max_leads: 5 }, history: today(9, 4) },
      ['a'],
      ['new_lead_limit', '2026-11-24T08:00Z'],
    ],
    [
      'the mailbox’s',
      {
        campaign: office,
        mailboxes: [plannedMailbox('mailbox-1', { daily_limit: 7 })],
        history: today(0, 0, 6),
      },
      ['a'],
      ['mailbox_daily_limits', '2026-11-24T08:00Z'],
    ],
    [
      'the smallest counts',
      {
        campaign: { ...office, daily_limit: 2 },
        mailboxes: [plannedMailbox('mailbox-1', { daily_limit: 1 })],
      },
      ['a'],
      ['mailbox_daily_limits', '2026-11-24T08:00Z'],
    ],
    [
      'yesterday’s figures do not count',
      {
        campaign: { ...office, daily_limit: 2, daily_max_leads: 2 },
        history: today(2, 2, 2, '2026-11-22'),
      },
      ['a', 'b'],
      ['campaign_daily_limit', '2026-11-24T08:00Z'],
    ],
  ])('%s', (_case, given, sent, [reason, until]) => {
    const { sends, waiting } = plan({ leads: three, ...given })
    expect(sends.map(({ lead_id }) => lead_id)).toEqual(sent)
    expect(waiting).toEqual(
      three.slice(sent.length).map(({ id }) => ({ lead_id: id, reason, until: new Date(until) })),
    )
  })

  test('a follow-up is sent though no more new leads may be', () => {
    const campaign = { steps: twoSteps, daily_max_leads: 0 }
    const leads = [newLead('a'), followedLead('b', ['step-1'], '2026-11-20T09:00:00Z')]
    expect(sendsOf({ campaign, leads })).toEqual([['b', '2026-11-23T10:00Z']])
  })

  test('a campaign’s day is that of its first schedule, a mailbox’s that of its own zone', () => {
    // 23:30 in Berlin: its next day starts at 23:00 UTC, that of the mailbox in New York at 05:00.
    const campaign = { ...between('00:00', '24:00', 'Europe/Berlin'), daily_limit: 1 }
    const history: SendHistory = {
      campaignDay: { day: '2026-11-23', sent: 1, new_leads: 1 },
      mailboxDays: new Map(),
    }
    expect(sendsOf({ now: '2026-11-23T22:30Z', campaign, history })).toEqual([
      ['lead-1', '2026-11-23T23:00Z'],
    ])
    const mailboxes = [
      plannedMailbox('mailbox-1', { timezone: 'America/New_York', daily_limit: 1 }),
    ]
    const used = new Map([['mailbox-1', { day: '2026-11-23', sent: 1 }]])
    const full = { campaignDay: { day: '', sent: 0, new_leads: 0 }, mailboxDays: used }
    expect(sendsOf({ mailboxes, history: full, now: '2026-11-24T03:00Z' })).toEqual([
      ['lead-1', '2026-11-24T05:00Z'],
    ])
  })

  test('a mailbox without a zone has the day of UTC', () => {
    const mailboxes = [plannedMailbox('mailbox-1', { daily_limit: 1 })]
    const history = today(0, 0, 1)
    expect(sendsOf({ now: '2026-11-23T23:59Z', mailboxes, history })).toEqual([
      ['lead-1', '2026-11-24T00:00Z'],
    ])
  })

  test('a mailbox that warms up may send more each day, up to its limit', () => {
    const mailbox = { daily_limit: 20, ramp_up: { start: 5, step: 6, from: '2026-03-28' } }
    const days = ['2026-03-27', '2026-03-28', '2026-03-29', '2026-03-30', '2026-03-31']
    expect(days.map((day) => mailboxLimit(mailbox, day))).toEqual([5, 5, 11, 17, 20])
    const warming = plannedMailbox('mailbox-1', {
      ramp_up: { start: 1, step: 1, from: '2026-11-22' },
    })
    expect(sendsOf({ campaign: office, mailboxes: [warming], leads: three })).toHaveLength(2)
  })
})

describe('gaps', () => {
  const campaign = { email_gap: 5 }
  const leads = ['a', 'b', 'c'].map((id) => newLead(id))

  test('part the mails of one mailbox, not those of two', () => {
    const mailboxes = [plannedMailbox('m1'), plannedMailbox('m2', { gap_seconds: 600 })]
    const more = [...leads, newLead('d')]
    expect(sendsOf({ campaign, mailboxes, leads: more })).toEqual([
      ['a', '2026-11-23T10:00Z', 'm1'],
      ['b', '2026-11-23T10:00Z', 'm2'],
      ['c', '2026-11-23T10:05Z', 'm1'],
      ['d', '2026-11-23T10:10Z', 'm2'],
    ])
  })

  test('of the last mail are kept', () => {
    const mailboxes = [plannedMailbox('mailbox-1', { next_send_at: new Date('2026-11-23T10:03Z') })]
    const given = { campaign, mailboxes, leads }
    expect(sendsOf(given)[0]).toEqual(['a', '2026-11-23T10:03Z'])
    expect(plan(given).next).toEqual(new Date('2026-11-23T10:03Z'))
  })

  test('get up to random_wait_max minutes more, always the same for a mail', () => {
    const jittery = { email_gap: 5, random_wait_max: 4 }
    const gaps = Array.from({ length: 500 }, (_, i) =>
      gapAfter(jittery, { gap_seconds: 0 }, `lead-${i}`, 'step'),
    )
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(5 * 60_000)
    expect(Math.max(...gaps)).toBeLessThanOrEqual(9 * 60_000)
    expect(Math.max(...gaps) - Math.min(...gaps)).toBeGreaterThan(3.9 * 60_000)
    expect(gapAfter(jittery, { gap_seconds: 0 }, 'lead-7', 'step')).toBe(gaps[7])
    expect(gapAfter({ email_gap: 0, random_wait_max: 0 }, { gap_seconds: 0 }, 'a', 'b')).toBe(0)
  })
})

describe('the order', () => {
  const campaign = { steps: twoSteps, email_gap: 5 }
  const leads = [
    newLead('new-1'),
    newLead('new-2', { timestamp_created: new Date('2025-12-31') }),
    followedLead('due-later', ['step-1'], '2026-11-21T09:00:00Z'),
    followedLead('due-first', ['step-1'], '2026-11-20T09:00:00Z'),
  ]
  const order = (given: Given) => sendsOf(given).map(([lead]) => lead)

  test('is follow-ups as they became due, then new leads as they were added', () => {
    expect(order({ campaign, leads })).toEqual(['due-first', 'due-later', 'new-2', 'new-1'])
  })

  test('is turned round by prioritize_new_leads', () => {
    expect(order({ campaign: { ...campaign, prioritize_new_leads: true }, leads })).toEqual([
      'new-2',
      'new-1',
      'due-first',
      'due-later',
    ])
  })

  test('gives new leads to the mailbox that sent least today', () => {
    const mailboxes = [plannedMailbox('m1'), plannedMailbox('m2')]
    const history = {
      ...noHistory(),
      mailboxDays: new Map([['m1', { day: '2026-11-23', sent: 1 }]]),
    }
    const three = ['a', 'b', 'c'].map((id) => newLead(id))
    expect(
      sendsOf({ mailboxes, leads: three, history }).map(([lead, , from]) => [lead, from]),
    ).toEqual([
      ['a', 'm2'],
      ['b', 'm1'],
      ['c', 'm2'],
    ])
  })
})

describe('follow-ups', () => {
  const campaign = { steps: twoSteps }
  const due = (mailbox_id: string | null) => [
    followedLead('lead-1', ['step-1'], '2026-11-20T09:00:00Z', { mailbox_id }),
  ]
  const mailboxes = [plannedMailbox('m1'), plannedMailbox('m2')]

  test('come from the mailbox of their thread, whatever others do', () => {
    expect(sendsOf({ campaign, mailboxes, leads: due('m2') })).toEqual([
      ['lead-1', '2026-11-23T10:00Z', 'm2'],
    ])
  })

  test.each([
    ['is no longer the campaign’s', 'gone'],
    ['is not known', null],
    ['is not connected', 'm3'],
  ])('wait while that mailbox %s', (_case, mailbox) => {
    const all = [...mailboxes, plannedMailbox('m3', { status: 'error' })]
    expect(waitOf({ campaign, mailboxes: all, leads: due(mailbox) })).toEqual([
      'mailbox_unavailable',
      null,
    ])
  })

  test('that are overdue for longer than allowed are not sent, first mails however late', () => {
    const expiring = { ...campaign, expire_after_days: 3 }
    const sent = (day: string) => [followedLead('lead-1', ['step-1'], day, { mailbox_id: 'm1' })]
    expect(waitOf({ campaign: expiring, mailboxes, leads: sent('2026-11-19T09:59:59Z') })).toEqual([
      'expired',
      null,
    ])
    expect(
      sendsOf({ campaign: expiring, mailboxes, leads: sent('2026-11-19T10:00:00Z') }),
    ).toHaveLength(1)
    expect(sendsOf({ campaign: expiring, mailboxes })).toHaveLength(1)
  })

  test('go on with the next step that is left', () => {
    const steps = plannedSteps(plannedStep('step-1'), plannedStep('step-3', { delay: 1 }))
    const leads = [followedLead('lead-1', ['step-1', 'step-2'], '2026-11-20T09:00:00Z')]
    expect(plan({ campaign: { steps }, leads }).sends).toMatchObject([
      { step_id: 'step-3', step: 2 },
    ])
  })
})

describe('a lead is not sent to', () => {
  test.each<[string, Given]>([
    ['suppressed', { leads: [newLead('a', { suppressed: true })] }],
    ['no_step_left', { leads: [followedLead('a', ['step-1'], monday)] }],
    ['no_step_left', { campaign: { steps: [] } }],
    [
      'no_enabled_variant',
      {
        campaign: {
          steps: [plannedStep('s', { variants: [{ id: 'v', number: 1, v_disabled: true }] })],
        },
      },
    ],
    ['mailboxes_unhealthy', { mailboxes: [plannedMailbox('m', { status: 'paused' })] }],
  ])('%s', (reason, given) => {
    expect(waitOf(given)).toEqual([reason, null])
    expect(plan(given).next).toBeNull()
  })
})

describe('variants', () => {
  const variants = ['a', 'b', 'c'].map((id, i) => ({ id, number: i + 1, v_disabled: false }))
  const step = plannedStep('step-1', { variants })
  const drawn = (of = step) =>
    Array.from({ length: 3000 }, (_, i) => variantOf(of, `lead-${i}`)?.id)

  test('are spread evenly over leads', () => {
    for (const id of ['a', 'b', 'c']) {
      const share = drawn().filter((variant) => variant === id).length / 3000
      expect(share).toBeGreaterThan(0.3)
      expect(share).toBeLessThan(0.37)
    }
  })

  test('that are disabled go to the others, and nobody else changes', () => {
    const without = { ...step, variants: variants.map((v) => ({ ...v, v_disabled: v.id === 'b' })) }
    const [before, after] = [drawn(), drawn(without)]
    expect(after).not.toContain('b')
    expect(before.every((variant, i) => variant === 'b' || variant === after[i])).toBe(true)
  })
})

test('it is worth planning again at the first mail to come, or when the first reason passes', () => {
  const campaign = { steps: twoSteps, ...between('09:00', '17:00', 'UTC') }
  const leads = [
    followedLead('a', ['step-1'], '2026-11-22T15:00:00Z'),
    followedLead('b', ['step-1'], '2026-11-23T08:00:00Z'),
  ]
  expect(plan({ campaign, leads }).next).toEqual(new Date('2026-11-23T15:00Z'))
  expect(plan({ campaign, leads: leads.slice(1) }).next).toEqual(new Date('2026-11-24T09:00Z'))
})
