import { describe, expect, test } from 'vitest'
import { nobody } from '../../../../test/mails.ts'
import type { LockedLead } from '../record.ts'
import type { LeadActivity } from './activity.ts'
import { planActivity } from './plan-activity.ts'

const now = new Date('2026-11-23T10:00:00Z')
const later = new Date('2026-11-26T10:00:00Z')
const message = {
  message_id: '<m@example.org>',
  subject: 'Hello',
  step: 1,
  variant: 1,
  mailbox: 'anna@example.org',
}
const reply = { message_id: '<r@x>', subject: 'Re: Hello', text: 'Hi', html: null, snippet: 'Hi' }

/** A lead that got its first mail. */
const lead = (more: Partial<LockedLead> = {}): LockedLead => ({
  id: 'lead',
  campaign_id: 'campaign',
  ...nobody,
  email: 'Ann@acme.example',
  status: 'contacted',
  sending_state: 'active',
  stop_reason: null,
  skip_reason: null,
  current_step: 1,
  last_contacted_from: 'anna@example.org',
  email_open_count: 0,
  email_click_count: 0,
  email_reply_count: 0,
  timestamp_last_contact: new Date('2026-11-20T10:00:00Z'),
  timestamp_last_open: null,
  timestamp_last_click: null,
  timestamp_last_reply: null,
  timestamp_next_send: new Date('2026-11-24T10:00:00Z'),
  postponed_until: null,
  workspace_id: 'workspace',
  timestamp_created: new Date('2026-11-19T10:00:00Z'),
  timestamp_updated: new Date('2026-11-20T10:00:00Z'),
  email_folded: 'ann@acme.example',
  company: null,
  stopped_from: null,
  moved_from: null,
  label_id: null,
  mailbox_id: 'mailbox',
  thread_subject: 'Hello',
  sent_step_ids: ['step-1'],
  campaign_name: 'Campaign',
  campaign_updated: new Date('2026-11-18T10:00:00Z'),
  campaign_zone: 'UTC',
  leads_finish_at: null,
  stop_on_reply: true,
  stop_on_auto_reply: false,
  stop_for_company: false,
  outcomes_counted: null,
  last_variant_id: 'variant-1',
  ...more,
})

const plan = (activity: object, more: Partial<LockedLead> = {}) => {
  const whole = { leadId: 'lead', message, ...activity } as LeadActivity
  const { patch, events } = planActivity(lead(more), whole, now)
  return { patch, events: events.map(({ type }) => type), data: events.map(({ data }) => data) }
}

const sending = ['pending', 'active', 'paused'] as const
const done = ['finished', 'stopped'] as const

describe('sent', () => {
  const sent = (next: Date | null, more: Partial<LockedLead> = {}) =>
    plan(
      {
        kind: 'sent',
        stepId: 'step-2',
        mailboxId: 'mailbox',
        threadSubject: 'Hello',
        next: next && { notBefore: next },
        message: { ...message, step: 2 },
      },
      more,
    )

  test('the lead is where the mail left it', () => {
    expect(sent(later)).toEqual({
      patch: {
        status: 'contacted',
        sending_state: 'active',
        current_step: 2,
        last_contacted_from: 'anna@example.org',
        timestamp_last_contact: now,
        timestamp_next_send: later,
        mailbox_id: 'mailbox',
        thread_subject: 'Hello',
        sent_step_ids: ['step-1', 'step-2'],
        skip_reason: null,
      },
      events: ['email.sent'],
      data: [{ message: { ...message, step: 2 } }],
    })
  })

  test('what comes next counts from when the server took the mail', () => {
    const at = new Date('2026-11-23T09:00:00Z')
    const more = { kind: 'sent', at, stepId: 'step-2', mailboxId: 'mailbox', threadSubject: '' }
    expect(plan({ ...more, next: null }).patch.timestamp_last_contact).toEqual(at)
  })

  test('a lead that was new is contacted and active', () => {
    const { patch } = sent(later, { status: 'new', sending_state: 'pending', sent_step_ids: [] })
    expect(patch).toMatchObject({ status: 'contacted', sending_state: 'active' })
  })

  test('a lead that was paused meanwhile stays paused', () => {
    expect(sent(later, { sending_state: 'paused' }).patch.sending_state).toBe('paused')
  })

  test('the next mail waits for a lead that is away', () => {
    const back = new Date('2026-12-01T00:00:00Z')
    expect(sent(later, { postponed_until: back }).patch.timestamp_next_send).toEqual(back)
    expect(sent(back, { postponed_until: later }).patch.timestamp_next_send).toEqual(back)
  })

  test.each(sending)('the last step completes a lead that is %s', (sending_state) => {
    const { patch, events, data } = sent(null, { sending_state, status: 'opened' })
    expect(patch).toMatchObject({ sending_state: 'finished', status: 'completed' })
    expect(events).toEqual(['email.sent', 'lead.completed'])
    expect(data[1]).toEqual({ previous_status: 'opened' })
  })

  test.each(['interested', 'replied', 'hot_lead'])(
    'completing never takes the place of %s',
    (status) => {
      expect(sent(null, { status }).patch).toMatchObject({ sending_state: 'finished', status })
    },
  )

  test.each(done)(
    'a lead that was %s meanwhile stays so, and is not completed',
    (sending_state) => {
      const { patch, events } = sent(null, { sending_state, status: 'replied' })
      expect(patch).not.toHaveProperty('sending_state')
      expect(patch).toMatchObject({ current_step: 2, status: 'replied' })
      expect(events).toEqual(['email.sent'])
    },
  )
})

describe('opened and clicked', () => {
  const opened = { kind: 'opened', isMachine: false }
  const clicked = { kind: 'clicked', isMachine: false, url: 'https://example.com/' }

  test('are counted and move the status forward', () => {
    expect(plan(opened, { email_open_count: 2 })).toEqual({
      patch: { status: 'opened', email_open_count: 3, timestamp_last_open: now },
      events: ['email.opened'],
      data: [{ message }],
    })
    expect(plan(clicked)).toEqual({
      patch: { status: 'clicked', email_click_count: 1, timestamp_last_click: now },
      events: ['email.clicked'],
      data: [{ message, url: 'https://example.com/' }],
    })
  })

  test.each(['clicked', 'replied', 'completed', 'interested', 'hot_lead', 'bounced'])(
    'an open never moves the status back from %s',
    (status) => expect(plan(opened, { status }).patch.status).toBe(status),
  )

  test.each([opened, clicked])('by a machine are nothing', (seen) => {
    expect(plan({ ...seen, isMachine: true })).toEqual({ patch: {}, events: [], data: [] })
  })
})

describe('replied', () => {
  const replied = { kind: 'replied', reply }

  test.each(sending)('stops a lead that is %s', (sending_state) => {
    expect(plan(replied, { sending_state })).toEqual({
      patch: {
        status: 'replied',
        sending_state: 'stopped',
        stop_reason: 'replied',
        email_reply_count: 1,
        timestamp_last_reply: now,
      },
      events: ['lead.replied'],
      data: [{ message, reply }],
    })
  })

  test.each([
    ['the campaign goes on after replies', { stop_on_reply: false }],
    ['the lead is done with', { sending_state: 'finished' as const }],
  ])('only counts where %s', (_case, more) => {
    expect(plan(replied, more).patch).toEqual({
      status: 'replied',
      email_reply_count: 1,
      timestamp_last_reply: now,
    })
  })

  test('stops the lead as well where it stops its company', () => {
    const more = { stop_on_reply: false, stop_for_company: true }
    expect(plan(replied, more).patch.stop_reason).toBe('replied')
  })

  test.each(done)('keeps the reason for which a lead was %s', (sending_state) => {
    const { patch } = plan(replied, { sending_state, stop_reason: 'manual' })
    expect(patch).not.toHaveProperty('stop_reason')
  })

  test('is more than having been completed, and no more than a label', () => {
    expect(plan(replied, { status: 'completed' }).patch.status).toBe('replied')
    expect(plan(replied, { status: 'interested' }).patch.status).toBe('interested')
  })
})

describe('auto-replied', () => {
  const away = (resumeAt: Date | null, more: Partial<LockedLead> = {}) =>
    plan({ kind: 'auto_replied', reply, isOutOfOffice: true, resumeAt }, more)

  test('is told and counts as no reply', () => {
    expect(away(null)).toEqual({
      patch: {},
      events: ['lead.auto_replied'],
      data: [{ message, reply }],
    })
  })

  test('stops the lead where the campaign says so', () => {
    expect(away(later, { stop_on_auto_reply: true }).patch).toEqual({
      sending_state: 'stopped',
      stop_reason: 'auto_replied',
    })
  })

  test('with a return puts the next mail off until then', () => {
    expect(away(later).patch).toEqual({ timestamp_next_send: later, postponed_until: later })
  })

  test('never brings the next mail forward', () => {
    const next = new Date('2026-12-24T10:00:00Z')
    expect(away(later, { timestamp_next_send: next }).patch.timestamp_next_send).toEqual(next)
    expect(away(later, { postponed_until: next }).patch.postponed_until).toEqual(next)
  })

  test.each(done)(
    'with a return is kept of a lead that is %s, for whoever takes that back',
    (sending_state) => {
      const ended = { sending_state, timestamp_next_send: null }
      expect(away(later, ended).patch).toEqual({ postponed_until: later })
    },
  )

  test('with a return is kept of a lead that is finished also where the campaign would have stopped it', () => {
    const ended = { sending_state: 'finished', timestamp_next_send: null } as const
    const more = { ...ended, stop_on_auto_reply: true }
    expect(away(later, more).patch).toEqual({ postponed_until: later })
  })

  test('with a return in the past changes nothing', () => {
    expect(away(now).patch).toEqual({})
  })
})

describe('bounced', () => {
  const bounced = (kind: 'hard' | 'soft', more: Partial<LockedLead> = {}) =>
    plan({ kind: 'bounced', bounce: { kind, code: '5.1.1', diagnostic: 'No such user' } }, more)

  test('softly is told and changes nothing', () => {
    expect(bounced('soft')).toMatchObject({ patch: {}, events: ['email.bounced'] })
  })

  test.each([...sending, ...done])('hard stops a lead that is %s, whatever its label', (state) => {
    const more = { sending_state: state, status: 'interested', label_id: 'label' }
    expect(bounced('hard', more)).toEqual({
      patch: {
        status: 'bounced',
        label_id: null,
        sending_state: 'stopped',
        stop_reason: 'bounced',
      },
      events: ['email.bounced'],
      data: [{ message, bounce: { kind: 'hard', code: '5.1.1', diagnostic: 'No such user' } }],
    })
  })

  test.each(['unsubscribed', 'blocked'] as const)('hard never replaces %s', (stop_reason) => {
    const { patch } = bounced('hard', { sending_state: 'stopped', stop_reason })
    expect(patch).toEqual({})
  })
})

describe('skipped', () => {
  const skipped = (reason: string, more: Partial<LockedLead> = {}) =>
    plan({ kind: 'skipped', reason, detail: 'first_name has no value' }, more)
  const skip_reason = (reason: string) => `${reason}: first_name has no value`

  test.each([
    ['template_failed', { sending_state: 'paused' }],
    ['message_refused', { sending_state: 'paused' }],
    ['suppressed', { sending_state: 'stopped', stop_reason: 'blocked' }],
  ])('for %s says why, and nothing is told', (reason, state) => {
    expect(skipped(reason)).toEqual({
      patch: { skip_reason: skip_reason(reason), ...state },
      events: [],
      data: [],
    })
  })

  test('for expired ends the lead as its last mail would, and says why', () => {
    expect(skipped('expired')).toEqual({
      patch: {
        skip_reason: skip_reason('expired'),
        ...{ sending_state: 'finished', status: 'completed' },
      },
      events: ['lead.completed'],
      data: [{ previous_status: 'contacted' }],
    })
  })

  test.each(done)('is nothing to a lead that is %s', (sending_state) => {
    expect(skipped('template_failed', { sending_state }).patch).toEqual({})
  })

  test.each(['template_failed', 'message_refused'])(
    'for %s leaves one to the person who paused it meanwhile',
    (reason) => {
      expect(skipped(reason, { sending_state: 'paused' }).patch).toEqual({})
    },
  )

  test('is nothing where the lead or its campaign was changed since the mail was made', () => {
    const { timestamp_updated, campaign_updated } = lead()
    const later = new Date('2026-11-21T10:00:00Z')
    const madeOf = { lead: timestamp_updated, campaign: campaign_updated }
    const tried = (more: Partial<LockedLead>) =>
      plan({ kind: 'skipped', reason: 'template_failed', detail: 'city', madeOf }, more).patch
    expect(tried({})).toMatchObject({ sending_state: 'paused' })
    expect(tried({ timestamp_updated: later })).toEqual({})
    expect(tried({ campaign_updated: later })).toEqual({})
  })
})

describe('unsubscribed', () => {
  test.each([...sending, ...done])('stops a lead that is %s', (sending_state) => {
    expect(plan({ kind: 'unsubscribed' }, { sending_state })).toEqual({
      patch: {
        status: 'unsubscribed',
        label_id: null,
        sending_state: 'stopped',
        stop_reason: 'unsubscribed',
      },
      events: ['lead.unsubscribed'],
      data: [{ previous_status: 'contacted' }],
    })
  })

  test('a second time is nothing', () => {
    const gone = { status: 'unsubscribed', sending_state: 'stopped', stop_reason: 'unsubscribed' }
    const { patch, events } = plan({ kind: 'unsubscribed' }, gone as Partial<LockedLead>)
    expect([patch, events]).toEqual([{}, []])
  })
})
