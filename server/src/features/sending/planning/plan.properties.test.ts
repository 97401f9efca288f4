import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  afterSend,
  newLead,
  plannedCampaign,
  plannedMailbox,
  plannedSchedule,
  plannedStep,
  plannedSteps,
  plannedWindow,
} from '../../../../test/planning.ts'
import { share } from '../../../../test/thoroughness.ts'
import { dayOf } from '../../../kernel/calendar.ts'
import { afterDelay, nextStep, windowState, zoneOf } from '../../campaigns/index.ts'
import {
  gapAfter,
  mailboxLimit,
  type PlannedCampaign,
  type PlannedLead,
  type PlannedMailbox,
  type PlannedSend,
  planSends,
  type SendHistory,
  type SendPlan,
} from './plan.ts'

const zone = fc.constantFrom(
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'Pacific/Apia',
)
/** Around changes of clocks in these zones. */
const near = fc.constantFrom('2026-03-07', '2026-03-28', '2026-04-04', '2026-10-03', '2026-10-31')
const now = fc
  .tuple(near, fc.nat(60 * 72))
  .map(([date, minutes]) => new Date(Date.parse(`${date}T00:00Z`) + minutes * 60_000))

const hour = fc.nat(24).map((hour) => `${`${hour}`.padStart(2, '0')}:00`)
const window = fc
  .tuple(hour, hour, zone, fc.boolean())
  .filter(([from, to]) => from < to)
  .map(([from, to, zone, sunday]) => plannedWindow(from, to, zone, { '0': sunday }))
const schedule = fc
  .array(window, { minLength: 1, maxLength: 3 })
  .map((windows) => plannedSchedule(...windows))

const stepIds = ['s1', 's2', 's3', 's4']
const steps = fc
  .tuple(
    fc.shuffledSubarray(stepIds, { minLength: 1 }),
    fc.array(fc.tuple(fc.nat(3), fc.constantFrom('minutes', 'hours', 'days'), fc.nat(3)), {
      minLength: 4,
      maxLength: 4,
    }),
  )
  .map(([ids, delays]) =>
    plannedSteps(
      ...ids.map((id, i) => {
        const [delay, delay_unit, disabled] = delays[i] as (typeof delays)[number]
        const variants = [0, 1, 2].map((v) => ({
          id: `${id}-${v}`,
          number: v + 1,
          v_disabled: v < disabled,
        }))
        return plannedStep(id, { delay, delay_unit, variants })
      }),
    ),
  )

const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })

const campaign: fc.Arbitrary<PlannedCampaign> = fc
  .record({
    schedule,
    steps,
    daily_limit: orNull(fc.integer({ min: 1, max: 12 })),
    daily_max_leads: orNull(fc.nat(6)),
    email_gap: fc.nat(90),
    random_wait_max: fc.nat(30),
    prioritize_new_leads: fc.boolean(),
    expire_after_days: orNull(fc.integer({ min: 1, max: 5 })),
  })
  .map(plannedCampaign)

const mailboxIds = ['m1', 'm2', 'm3']
const mailboxes = (at: Date): fc.Arbitrary<PlannedMailbox[]> =>
  fc
    .tuple(
      ...mailboxIds.map((id) =>
        fc
          .record({
            status: fc.constantFrom('connected' as const, 'connected' as const, 'error' as const),
            timezone: orNull(zone),
            daily_limit: fc.integer({ min: 1, max: 8 }),
            ramp_up: orNull(
              fc.record({ start: fc.nat(3), step: fc.nat(2), from: fc.constant('2026-03-05') }),
            ),
            gap_seconds: fc.nat(3600),
            next_send_at: orNull(
              fc.integer({ min: -60, max: 300 }).map((m) => new Date(at.getTime() + m * 60_000)),
            ),
          })
          .map((more) => plannedMailbox(id, more)),
      ),
    )
    .map((all) => all)

const leads = (at: Date): fc.Arbitrary<PlannedLead[]> =>
  fc
    .array(
      fc.record({
        sent: fc.subarray(stepIds),
        mailbox_id: fc.constantFrom(...mailboxIds),
        hoursAgo: fc.nat(24 * 9),
        backIn: orNull(fc.nat(30)),
        suppressed: fc.nat(9).map((n) => n === 0),
      }),
      { maxLength: 25 },
    )
    .map((all) =>
      all.map(({ sent, mailbox_id, hoursAgo, backIn, suppressed }, i) => {
        const before = new Date(at.getTime() - hoursAgo * 3_600_000)
        const isNew = sent.length === 0
        return newLead(`lead-${i}`, {
          mailbox_id: isNew ? null : mailbox_id,
          sent_step_ids: sent,
          current_step: sent.length,
          last_sent_at: isNew ? null : before,
          timestamp_created: before,
          not_before: backIn === null ? null : new Date(at.getTime() + backIn * 3_600_000),
          suppressed,
        })
      }),
    )

const history = (of: PlannedCampaign, all: PlannedMailbox[], at: Date) =>
  fc
    .record({ sent: fc.nat(8), new_leads: fc.nat(4), mailboxes: fc.tuple(fc.nat(6), fc.nat(6)) })
    .map(
      ({ sent, new_leads, mailboxes }): SendHistory => ({
        campaignDay: { day: campaignDay(of, at), sent, new_leads },
        mailboxDays: new Map(
          mailboxes.map((sent, i) => {
            const mailbox = all[i] as PlannedMailbox
            return [mailbox.id, { day: mailboxDay(mailbox, at), sent }]
          }),
        ),
      }),
    )

interface Case {
  at: Date
  campaign: PlannedCampaign
  mailboxes: PlannedMailbox[]
  leads: PlannedLead[]
  history: SendHistory
}

const anyCase: fc.Arbitrary<Case> = fc.tuple(now, campaign).chain(([at, campaign]) =>
  fc.tuple(mailboxes(at), leads(at)).chain(([mailboxes, leads]) =>
    history(campaign, mailboxes, at).map((history) => ({
      at,
      campaign,
      mailboxes,
      leads,
      history,
    })),
  ),
)

const campaignDay = (of: PlannedCampaign, at: Date) =>
  dayOf(of.schedule.schedules[0]?.timezone ?? 'UTC', at)
const mailboxDay = (of: PlannedMailbox, at: Date) => dayOf(of.timezone ?? 'UTC', at)

const planOf = ({ at, campaign, mailboxes, leads, history }: Case): SendPlan =>
  planSends(at, campaign, mailboxes, leads, history)

const holds = (check: (given: Case, plan: SendPlan) => void, numRuns = 400) =>
  fc.assert(
    fc.property(anyCase, (given) => check(given, planOf(given))),
    { numRuns: share(numRuns) },
  )

const leadOf = ({ leads }: Case, { lead_id }: PlannedSend) =>
  leads.find(({ id }) => id === lead_id) as PlannedLead
const mailboxOf = ({ mailboxes }: Case, { mailbox_id }: PlannedSend) =>
  mailboxes.find(({ id }) => id === mailbox_id) as PlannedMailbox

test('every lead is planned once or waits for one reason', () => {
  holds(({ leads }, { sends, waiting }) => {
    const told = [...sends, ...waiting].map(({ lead_id }) => lead_id)
    expect(told.toSorted()).toEqual(leads.map(({ id }) => id).toSorted())
  })
})

test('nothing is planned before its time, in the past or outside the window that is open now', () => {
  holds((given, { sends }) => {
    if (!windowState(given.campaign.schedule, given.at).open) expect(sends).toEqual([])
    for (const send of sends) {
      const lead = leadOf(given, send)
      const step = given.campaign.steps.find(({ id }) => id === send.step_id)
      if (!step) throw new Error('planned a step that the campaign does not have')
      const since = lead.last_sent_at ?? lead.timestamp_created
      const due = afterDelay(zoneOf(given.campaign.schedule), step, since)
      const soonest = [given.at, due, lead.not_before ?? due]
      for (const time of soonest) expect(send.at.getTime()).toBeGreaterThanOrEqual(time.getTime())
      expect(windowState(given.campaign.schedule, send.at).open).toBe(true)
    }
  })
})

test('no step is sent twice, and none to who must not be written to', () => {
  holds((given, { sends }) => {
    for (const send of sends) {
      const lead = leadOf(given, send)
      expect(lead.sent_step_ids).not.toContain(send.step_id)
      expect(send.step_id).toBe(nextStep(given.campaign.steps, lead)?.id)
      expect(lead.suppressed).toBe(false)
      const step = given.campaign.steps[send.step - 1]
      expect(step?.id).toBe(send.step_id)
      const variant = step?.variants[send.variant - 1]
      expect(variant).toMatchObject({ id: send.variant_id, v_disabled: false })
    }
  })
})

test('no limit of a day is passed', () => {
  holds((given, { sends }) => {
    const { campaign, history } = given
    const already = (day: string, of: { day: string; sent: number } | undefined) =>
      of?.day === day ? of.sent : 0
    const days = Map.groupBy(sends, ({ at }) => campaignDay(campaign, at))
    for (const [day, ofDay] of days) {
      const before = history.campaignDay
      const limit = campaign.daily_limit ?? Number.POSITIVE_INFINITY
      expect(ofDay.length + already(day, before)).toBeLessThanOrEqual(limit)
      const isNew = ofDay.filter((send) => send.isNew).length
      const beforeNew = before.day === day ? before.new_leads : 0
      const newMax = campaign.daily_max_leads ?? Number.POSITIVE_INFINITY
      if (isNew > 0) expect(isNew + beforeNew).toBeLessThanOrEqual(newMax)
    }
    for (const mailbox of given.mailboxes) {
      const from = sends.filter(({ mailbox_id }) => mailbox_id === mailbox.id)
      for (const [day, ofDay] of Map.groupBy(from, ({ at }) => mailboxDay(mailbox, at))) {
        const before = already(day, history.mailboxDays.get(mailbox.id))
        expect(ofDay.length + before).toBeLessThanOrEqual(mailboxLimit(mailbox, day))
      }
    }
  })
})

test('a follow-up comes from the mailbox of its thread, everything from one that is connected', () => {
  holds((given, { sends }) => {
    for (const send of sends) {
      const lead = leadOf(given, send)
      expect(send.isNew).toBe(lead.sent_step_ids.length === 0)
      if (!send.isNew) expect(send.mailbox_id).toBe(lead.mailbox_id)
      expect(mailboxOf(given, send).status).toBe('connected')
    }
  })
})

test('the gap after each mail of a mailbox is kept', () => {
  holds((given, { sends }) => {
    for (const from of Map.groupBy(sends, ({ mailbox_id }) => mailbox_id).values()) {
      let freeMs = mailboxOf(given, from[0] as PlannedSend).next_send_at?.getTime() ?? 0
      for (const send of from) {
        expect(send.at.getTime()).toBeGreaterThanOrEqual(freeMs)
        const mailbox = mailboxOf(given, send)
        const gap = gapAfter(given.campaign, mailbox, send.lead_id, send.step_id)
        freeMs = send.at.getTime() + gap
      }
    }
  })
})

test('the plan is the same whatever order leads and mailboxes come in', () => {
  const order = (plan: SendPlan) => ({
    ...plan,
    waiting: plan.waiting.toSorted((a, b) => (a.lead_id < b.lead_id ? -1 : 1)),
  })
  holds((given, plan) => {
    const turned = planOf({
      ...given,
      leads: given.leads.toReversed(),
      mailboxes: given.mailboxes.toReversed(),
    })
    expect(order(turned)).toEqual(order(plan))
  })
})

test('a reason that passes has not passed now, and planning again is for the first that does', () => {
  holds((given, { sends, waiting, next }) => {
    const untils = waiting.flatMap(({ until }) => until ?? [])
    for (const until of untils) expect(until.getTime()).toBeGreaterThan(given.at.getTime())
    const times = [...sends.map(({ at }) => at), ...untils].map((time) => time.getTime())
    const future = times.filter((time) => time > given.at.getTime())
    expect(next?.getTime()).toBe(future.length > 0 ? Math.min(...future) : undefined)
  })
})

test('whoever plans at `next` again, over and over, sends everything that can be sent', () => {
  const lasting = anyCase.map(
    (given): Case => ({
      ...given,
      campaign: { ...given.campaign, expire_after_days: null, daily_max_leads: null },
      mailboxes: given.mailboxes.map((mailbox) => ({ ...mailbox, ramp_up: null })),
    }),
  )
  fc.assert(
    fc.property(lasting, (given) => {
      let { at, leads, mailboxes, history } = given
      for (let round = 0; round < 500; round++) {
        const plan = planOf({ ...given, at, leads, mailboxes, history })
        const due = plan.sends.filter((send) => send.at.getTime() <= at.getTime())
        for (const send of due) {
          ;({ leads, mailboxes, history } = afterSend(
            given.campaign,
            { leads, mailboxes, history },
            send,
          ))
        }
        if (due.length > 0) continue
        if (!plan.next) {
          expect(plan.waiting.filter(({ until }) => until)).toEqual([])
          return
        }
        at = plan.next
      }
      throw new Error('There is no end to it.')
    }),
    { numRuns: share(60) },
  )
})
