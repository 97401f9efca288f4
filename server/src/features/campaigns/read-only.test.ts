import { expect, test } from 'vitest'
import { refuseChanged } from '../../kernel/http/as-read.ts'
import { isAsRead } from './read-only.ts'
import { defaultSchedule } from './schedule/schedule-schema.ts'
import { type Campaign, plainDefaults } from './schema.ts'

const campaign: Campaign = {
  ...plainDefaults,
  id: '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d',
  name: 'Founders',
  status: 'active',
  status_reason: null,
  campaign_schedule: defaultSchedule,
  sequences: [],
  lead_counts: { total: 10, active: 4, completed: 3, replied: 2, bounced: 1, unsubscribed: 0 },
  sending_status: {
    ...{ state: 'sending', reason: null },
    ...{ leads_waiting_for_mailbox: 0, leads_held_back: 0, held_back_for: null },
    next_send_at: null,
  },
  workspace_id: '019a9d5e-0000-7c31-9d0a-5e1f6a2b3c4d',
  timestamp_created: new Date('2026-11-20T09:37:00.123Z'),
  timestamp_updated: new Date('2026-11-21T09:37:00.123Z'),
}

test.each<[string, object]>([
  ['nothing', {}],
  ['the record as JSON', JSON.parse(JSON.stringify(campaign)) as object],
  ['an id in upper case', { id: campaign.id.toUpperCase() }],
  ['a time in another notation', { timestamp_created: '2026-11-20T10:37:00.123000+01:00' }],
  ['an earlier time of change', { timestamp_updated: '2026-11-20T09:37:00.123Z' }],
  [
    'earlier counters',
    {
      lead_counts: { total: 9, active: 9, completed: 0, replied: 0, bounced: 0, unsubscribed: 0 },
    },
  ],
  [
    'counters of before leads were deleted',
    {
      lead_counts: { total: 12, active: 11, completed: 0, replied: 0, bounced: 0, unsubscribed: 1 },
    },
  ],
  ['a reason of the service that is over', { status_reason: 'bounce_protection' }],
  ['null for what was not given', { id: null, timestamp_created: null, lead_counts: null }],
  ['an earlier sending status', { sending_status: { state: 'waiting', reason: 'no_leads' } }],
  [
    'an earlier time of the next mail',
    {
      sending_status: {
        ...{ state: 'waiting', reason: 'outside_schedule', leads_waiting_for_mailbox: 0 },
        next_send_at: '2026-11-23T09:00:00.000Z',
      },
    },
  ],
  [
    'an earlier count of leads that are held back',
    {
      sending_status: {
        ...{ state: 'waiting', reason: 'leads_held_back', leads_held_back: 2 },
        held_back_for: 'The lead has no city, and the template gives no default.',
      },
    },
  ],
])('%s can have been read', (_case, sent) => {
  expect(() => refuseChanged(sent, campaign, isAsRead)).not.toThrow()
})

test.each<[string, unknown]>([
  ['id', '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4e'],
  ['workspace_id', 7],
  ['status_reason', 'because'],
  ['timestamp_created', '2026-11-20T09:37:00.124Z'],
  ['timestamp_created', 'yesterday'],
  ['timestamp_updated', '2026-11-21T09:37:00.124Z'],
  ['timestamp_updated', '2026-11-20T09:37:00.122Z'],
  ['lead_counts', { total: 1 }],
  ['lead_counts', { ...campaign.lead_counts, total: 10.5 }],
  ['lead_counts', { ...campaign.lead_counts, active: -1 }],
  ['lead_counts', { ...campaign.lead_counts, bounced: '1' }],
  ['lead_counts', { ...campaign.lead_counts, opened: 0 }],
  ['sending_status', 'sending'],
  ['sending_status', { state: 'sending', reason: null, next_send_at: 'soon' }],
  ['sending_status', { state: 'sending', reason: 'paused' }],
  ['sending_status', { state: 'waiting', reason: null }],
  ['sending_status', { state: 'waiting', reason: 'because' }],
])('a changed %s is found: %j', (field, value) => {
  expect(() => refuseChanged({ [field]: value }, campaign, isAsRead)).toThrow(
    expect.objectContaining({
      code: 'unknown_field',
      details: [{ path: `/${field}`, message: expect.any(String) }],
    }),
  )
})
