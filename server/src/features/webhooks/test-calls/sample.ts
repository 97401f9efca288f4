import { plainDefaults } from '../../campaigns/index.ts'
import { type EventType, sampleContent } from '../../events/catalogue/index.ts'
import type { NewEvent } from '../../events/index.ts'
import type { leadRecord } from '../../leads/index.ts'
import { allEvents } from '../index.ts'

/** What a test call sends: an event of the destination's type with made-up data (contract §3). */
export function sampleEvent(
  destination: { event_type: string; custom_interest_value: string | null },
  workspaceId: string,
  at: Date,
): NewEvent {
  const { event_type, custom_interest_value: labelValue } = destination
  const type = (event_type === allEvents ? 'lead.interested' : event_type) as EventType
  const content = sampleContent(type, {
    lead: (status) => sampleLead(labelValue ?? status, workspaceId, at),
    campaign: (status) => sampleCampaign(status, workspaceId, at),
  })
  return { type, ...content, customInterestValue: labelValue, test: true }
}

const campaignId = '00000000-0000-7000-8000-000000000001'

const mailbox = 'sales@example.com'

const lead = {
  id: '00000000-0000-7000-8000-000000000002',
  campaign_id: campaignId,
  email: 'ada@example.com',
  first_name: 'Ada',
  last_name: 'Lovelace',
  company_name: 'Example Ltd',
  company_domain: 'example.com',
  job_title: 'Analyst',
  phone: null,
  website: null,
  personalization: null,
  custom_variables: {},
}

function sampleLead(status: string, workspaceId: string, at: Date): ReturnType<typeof leadRecord> {
  return {
    ...lead,
    status,
    sending_state: 'active',
    stop_reason: null,
    skip_reason: null,
    current_step: 1,
    last_contacted_from: mailbox,
    email_open_count: 0,
    email_click_count: 0,
    email_reply_count: 0,
    timestamp_last_contact: at,
    timestamp_last_open: null,
    timestamp_last_reply: null,
    timestamp_next_send: null,
    workspace_id: workspaceId,
    timestamp_created: at,
    timestamp_updated: at,
  }
}

function sampleCampaign(status: 'active' | 'paused' | 'completed', workspaceId: string, at: Date) {
  return {
    id: campaignId,
    name: 'Sample campaign',
    status,
    status_reason: null,
    campaign_schedule: { start_date: null, end_date: null, schedules: [] },
    sequences: [],
    ...plainDefaults,
    email_list: [mailbox],
    lead_counts: { total: 1, active: 0, completed: 1, replied: 0, bounced: 0, unsubscribed: 0 },
    sending_status: {
      ...(status === 'active'
        ? { state: 'sending', reason: null }
        : { state: 'waiting', reason: status }),
      ...{ leads_waiting_for_mailbox: 0, next_send_at: null },
    },
    workspace_id: workspaceId,
    timestamp_created: at,
    timestamp_updated: at,
  }
}
