import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { share } from '../../../../test/thoroughness.ts'
import type { EventType } from '../../events/catalogue/index.ts'
import { type BuiltinStatus, builtinStatuses } from '../../labels/index.ts'
import {
  automaticStatus,
  type NewStatus,
  parseNewStatus,
  planStatusChange,
  type StatusChange,
  type StatusLabel,
  type StatusSubject,
} from './plan-status-change.ts'

const untouched: StatusSubject = {
  status: 'new',
  label_id: null,
  sending_state: 'pending',
  stop_reason: null,
  skip_reason: null,
  current_step: 0,
  email_open_count: 0,
  email_click_count: 0,
  email_reply_count: 0,
  timestamp_last_contact: null,
  timestamp_last_open: null,
  timestamp_last_click: null,
  timestamp_last_reply: null,
}
const lead = (more: Partial<StatusSubject> = {}): StatusSubject => ({ ...untouched, ...more })
const stopped = (stop_reason: StatusSubject['stop_reason']) => ({
  sending_state: 'stopped' as const,
  stop_reason,
})

const label = (effect: StatusLabel['effect'] = 'none', more: Partial<StatusLabel> = {}) => ({
  id: '019a9d5e-8a20-7c31-9d0a-5e1f6a2b3c4d',
  name: 'Hot one',
  value: 'hot_lead',
  effect,
  ...more,
})

const builtin = (status: BuiltinStatus): NewStatus => ({ kind: 'builtin', status })
const plan = (subject: StatusSubject, target: NewStatus, suppressed = false) =>
  planStatusChange(subject, target, { suppressed })
const set = (status: BuiltinStatus, more: Partial<StatusSubject> = {}, suppressed = false) =>
  plan(lead(more), builtin(status), suppressed)

const changed = (patch: object, event: EventType | null = null): StatusChange => ({
  kind: 'changed',
  patch,
  event,
})
const unchanged = { kind: 'unchanged' }
const refused = (words: RegExp) => ({ kind: 'refused', message: expect.stringMatching(words) })

const states = ['pending', 'active', 'paused', 'finished', 'stopped'] as const
const reasons = [
  'replied',
  'auto_replied',
  'bounced',
  'unsubscribed',
  'company_replied',
  'manual',
  'blocked',
] as const
const finalReasons = ['bounced', 'unsubscribed', 'blocked'] as const

describe('new_status is read in any spelling', () => {
  test.each<[string, BuiltinStatus]>([
    ...builtinStatuses.map((status): [string, BuiltinStatus] => [status, status]),
    ['Meeting Booked', 'meeting_booked'],
    ['meeting-booked', 'meeting_booked'],
    ['MeetingBooked', 'meeting_booked'],
    ['  Out_of-office ', 'out_of_office'],
    ['lead.interested', 'interested'],
    ['Lead.Not Interested', 'not_interested'],
    ['NO SHOW', 'no_show'],
  ])('%s', (text, status) => {
    expect(parseNewStatus(text, [label()])).toEqual(builtin(status))
  })

  const hot = label()
  const other = label('stop', {
    id: '019a9d5e-8a21-7c31-9d0a-5e1f6a2b3c4d',
    name: 'Cold',
    value: 'cold',
  })
  test.each([
    [hot.id, hot],
    [hot.id.toUpperCase(), hot],
    [`lead.label.${hot.id}`, hot],
    ['hot_lead', hot],
    ['HOT-lead', hot],
    ['lead.hot one', hot],
    ['COLD', other],
  ])('%s is a label', (text, expected) => {
    expect(parseNewStatus(text, [other, hot])).toEqual({ kind: 'label', label: expected })
  })

  test.each([
    [''],
    ['_'],
    ['lead.'],
    ['replied'],
    ['new'],
    ['bounced'],
    ['won'],
    ['label.'],
    ['__proto__'],
    ['constructor'],
  ])('%j is none', (text) => {
    expect(parseNewStatus(text, [hot, other])).toBeUndefined()
  })

  test('a built-in name comes before a label, an id before a value, a value before a name', () => {
    const [a, b, c] = [
      label('none', { id: 'a', value: 'b', name: 'c' }),
      label('none', { id: 'b', value: 'c', name: 'closed' }),
      label('none', { id: 'c', value: 'x', name: 'y' }),
    ]
    expect(parseNewStatus('closed', [a, b, c])).toEqual(builtin('closed'))
    expect(parseNewStatus('b', [a, b, c])).toMatchObject({ label: b })
    expect(parseNewStatus('c', [a, b])).toMatchObject({ label: b })
    expect(parseNewStatus('c', [a, b, c])).toMatchObject({ label: c })
  })
})

describe('a status says what happens to the sending', () => {
  const stops = [
    'interested',
    'meeting_booked',
    'meeting_completed',
    'closed',
    'not_interested',
    'lost',
    'wrong_person',
    'no_show',
  ] as const
  const rows: [NewStatus, string, EventType, Partial<Record<(typeof states)[number], object>>][] = [
    ...stops.map((status): (typeof rows)[number] => [
      builtin(status),
      status,
      `lead.${status}`,
      { pending: stopped('manual'), active: stopped('manual'), paused: stopped('manual') },
    ]),
    [builtin('neutral'), 'neutral', 'lead.neutral', {}],
    [
      builtin('out_of_office'),
      'out_of_office',
      'lead.out_of_office',
      { pending: { sending_state: 'paused' }, active: { sending_state: 'paused' } },
    ],
    [
      builtin('completed'),
      'completed',
      'lead.completed',
      {
        pending: { sending_state: 'finished' },
        active: { sending_state: 'finished' },
        paused: { sending_state: 'finished' },
      },
    ],
    [{ kind: 'label', label: label('none') }, 'hot_lead', `lead.label.${label().id}`, {}],
    [
      { kind: 'label', label: label('pause') },
      'hot_lead',
      `lead.label.${label().id}`,
      { pending: { sending_state: 'paused' }, active: { sending_state: 'paused' } },
    ],
    [
      { kind: 'label', label: label('stop') },
      'hot_lead',
      `lead.label.${label().id}`,
      { pending: stopped('manual'), active: stopped('manual'), paused: stopped('manual') },
    ],
  ]
  const cases = rows.flatMap(([target, status, event, effects]) =>
    states.flatMap((state) =>
      (state === 'stopped' ? reasons : [null]).map((reason) => {
        const name = target.kind === 'label' ? `a label (${target.label.effect})` : status
        return { name, target, status, event, state, reason, effect: effects[state] ?? {} }
      }),
    ),
  )

  test.each(cases)('$name on a lead that is $state ($reason)', (row) => {
    const { target, status, event, state, reason, effect } = row
    const label_id = target.kind === 'label' ? target.label.id : null
    const before = lead({ sending_state: state, stop_reason: reason, label_id: 'another' })
    for (const suppressed of [false, true]) {
      expect(plan(before, target, suppressed)).toEqual(
        changed({ status, label_id, ...effect }, event),
      )
    }
    const after = { ...before, status, label_id, ...effect }
    expect(plan(after, target)).toEqual(unchanged)
  })

  test('a status the lead has ends sending that was resumed, without a second event', () => {
    expect(set('lost', { status: 'lost', sending_state: 'active' })).toEqual(
      changed(stopped('manual')),
    )
    expect(set('lost', { status: 'lost', ...stopped('manual') })).toEqual(unchanged)
  })

  test('a label is another than one of the same name, and than a built-in status', () => {
    const target: NewStatus = { kind: 'label', label: label() }
    const { id, value } = label()
    expect(plan(lead({ status: value, label_id: 'old' }), target)).toMatchObject({
      patch: { label_id: id },
    })
    expect(set('neutral', { status: 'neutral', label_id: id })).toMatchObject({
      patch: { label_id: null },
    })
  })
})

describe('unsubscribed stops for good', () => {
  test.each(states)('a lead that is %s', (sending_state) => {
    const reason = sending_state === 'stopped' ? 'manual' : null
    for (const suppressed of [false, true]) {
      expect(set('unsubscribed', { sending_state, stop_reason: reason }, suppressed)).toEqual(
        changed(
          { status: 'unsubscribed', label_id: null, ...stopped('unsubscribed') },
          'lead.unsubscribed',
        ),
      )
    }
  })

  test.each(finalReasons)('a lead stopped as %s keeps that reason', (reason) => {
    expect(set('unsubscribed', stopped(reason))).toEqual(
      changed({ status: 'unsubscribed', label_id: null }, 'lead.unsubscribed'),
    )
  })

  test('one that has unsubscribed does so once', () => {
    const gone = { status: 'unsubscribed', ...stopped('unsubscribed') }
    for (const suppressed of [false, true]) {
      expect(set('unsubscribed', gone, suppressed)).toEqual(unchanged)
    }
  })
})

describe('paused and active are no status, only a switch', () => {
  test.each([
    ['pending', null, changed({ sending_state: 'paused' })],
    ['active', null, changed({ sending_state: 'paused' })],
    ['paused', null, unchanged],
    ['finished', null, refused(/finished.*paused/)],
    ...reasons.map((reason) => ['stopped', reason, refused(/stopped.*paused/)] as const),
  ] as const)('paused on %s (%s)', (sending_state, stop_reason, expected) => {
    expect(set('paused', { status: 'interested', sending_state, stop_reason })).toEqual(expected)
  })

  const heldBack = { sending_state: 'paused', skip_reason: 'template_failed: city' } as const
  test('and whoever pauses one that the service held back keeps it from going on by itself', () => {
    const byPerson = changed({ skip_reason: null })
    expect(set('paused', heldBack)).toEqual(byPerson)
    expect(set('out_of_office', { ...heldBack, status: 'out_of_office' })).toEqual(byPerson)
    const pausing: NewStatus = { kind: 'label', label: label('pause') }
    expect(plan(lead(heldBack), pausing)).toMatchObject({ patch: { skip_reason: null } })
    expect(set('paused', { ...heldBack, skip_reason: null })).toEqual(unchanged)
  })

  const resumable = ['replied', 'auto_replied', 'company_replied', 'manual', null] as const
  test.each([
    ['pending', null, 0, unchanged],
    ['active', null, 2, unchanged],
    ['paused', null, 0, changed({ sending_state: 'pending' })],
    ['paused', null, 2, changed({ sending_state: 'active' })],
    ['finished', null, 3, refused(/finished/)],
    ...finalReasons.map((reason) => ['stopped', reason, 1, refused(new RegExp(reason))] as const),
    ...resumable.flatMap((reason) => {
      const cleared = reason === null ? {} : { stop_reason: null }
      return [
        ['stopped', reason, 0, changed({ sending_state: 'pending', ...cleared })] as const,
        ['stopped', reason, 1, changed({ sending_state: 'active', ...cleared })] as const,
      ]
    }),
  ] as const)(
    'active on %s (%s) at step %i',
    (sending_state, stop_reason, current_step, expected) => {
      for (const status of ['new', 'unsubscribed', 'completed', 'bounced', 'not_interested']) {
        const before = { status, sending_state, stop_reason, current_step }
        expect(set('active', before)).toEqual(expected)
        expect(set('active', before, true)).toEqual(refused(/suppression list/))
      }
    },
  )
})

describe('none goes back to what the lead did', () => {
  const time = new Date(0)
  test.each<[string, Partial<StatusSubject>]>([
    ['new', {}],
    ['contacted', { current_step: 1 }],
    ['contacted', { timestamp_last_contact: time }],
    ['opened', { current_step: 1, email_open_count: 1 }],
    ['opened', { timestamp_last_open: time }],
    ['clicked', { email_open_count: 3, email_click_count: 1 }],
    ['clicked', { timestamp_last_click: time }],
    ['replied', { email_click_count: 1, email_reply_count: 1 }],
    ['replied', { timestamp_last_reply: time, sending_state: 'finished' }],
    ['completed', { current_step: 3, email_click_count: 1, sending_state: 'finished' }],
    ['bounced', { current_step: 1, email_reply_count: 1, ...stopped('bounced') }],
    ['unsubscribed', { email_reply_count: 1, ...stopped('unsubscribed') }],
    ['contacted', { current_step: 1, ...stopped('manual') }],
    ['new', stopped('blocked')],
  ])('%s: %j', (status, more) => {
    expect(automaticStatus(lead(more))).toBe(status)
    expect(set('none', { ...more, status: 'interested', label_id: 'x' })).toEqual(
      changed({ status, label_id: null }),
    )
    expect(set('none', { ...more, status })).toEqual(unchanged)
  })
})

const anyTarget = fc.oneof(
  fc.constantFrom(...builtinStatuses).map(builtin),
  fc
    .constantFrom('none' as const, 'pause' as const, 'stop' as const)
    .map((effect): NewStatus => ({ kind: 'label', label: label(effect) })),
)
const count = fc.nat(2)
const moment = fc.constantFrom(null, new Date(0))
const anyLead = fc
  .record({
    status: fc.constantFrom('new', 'replied', 'bounced', 'hot_lead', ...builtinStatuses),
    label_id: fc.constantFrom(null, label().id),
    sending_state: fc.constantFrom(...states),
    stop_reason: fc.constantFrom(...reasons),
    skip_reason: fc.constantFrom(null, 'template_failed: city'),
    current_step: count,
    email_open_count: count,
    email_click_count: count,
    email_reply_count: count,
    timestamp_last_contact: moment,
    timestamp_last_open: moment,
    timestamp_last_click: moment,
    timestamp_last_reply: moment,
  })
  .map((any) => ({ ...any, stop_reason: any.sending_state === 'stopped' ? any.stop_reason : null }))

const apply = (subject: StatusSubject, change: StatusChange): StatusSubject =>
  change.kind === 'changed' ? { ...subject, ...change.patch } : subject

const everywhere = { numRuns: share(2000) }

test('whatever is set, in whatever order, a lead that is done for good stays so', () => {
  fc.assert(
    fc.property(
      anyLead,
      fc.array(anyTarget, { maxLength: 6 }),
      fc.boolean(),
      (first, targets, suppressed) => {
        let subject: StatusSubject = first
        for (const target of targets) {
          const before = subject
          subject = apply(before, plan(before, target, suppressed))
          const { sending_state, stop_reason } = before
          if (finalReasons.some((reason) => reason === stop_reason)) {
            expect(subject).toMatchObject({ sending_state, stop_reason })
          }
          if (sending_state === 'finished')
            expect(subject.sending_state).toMatch(/finished|stopped/)
          if (suppressed && !['pending', 'active'].includes(sending_state)) {
            expect(['pending', 'active']).not.toContain(subject.sending_state)
          }
          expect(subject.stop_reason !== null).toBe(subject.sending_state === 'stopped')
          expect(subject.current_step).toBe(first.current_step)
        }
      },
    ),
    everywhere,
  )
})

test('setting the same again changes nothing and tells nobody', () => {
  fc.assert(
    fc.property(anyLead, anyTarget, fc.boolean(), (subject, target, suppressed) => {
      const once = plan(subject, target, suppressed)
      const again = plan(apply(subject, once), target, suppressed)
      expect(again.kind).toBe(once.kind === 'refused' ? 'refused' : 'unchanged')
    }),
    everywhere,
  )
})

test('there is an event exactly when a status that has one is set and the lead did not have it', () => {
  fc.assert(
    fc.property(anyLead, anyTarget, fc.boolean(), (subject, target, suppressed) => {
      const change = plan(subject, target, suppressed)
      if (change.kind !== 'changed') return
      const silent = target.kind === 'builtin' && /^(?:none|paused|active)$/.test(target.status)
      const isNew = 'status' in change.patch
      expect(change.event !== null).toBe(isNew && !silent)
      if (!isNew) return
      const { status, label_id } = change.patch
      expect({ status, label_id }).not.toEqual({
        status: subject.status,
        label_id: subject.label_id,
      })
      expect(['paused', 'active', 'none']).not.toContain(status)
    }),
    everywhere,
  )
})
