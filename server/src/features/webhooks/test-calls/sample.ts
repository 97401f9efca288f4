import { plainDefaults } from '../../campaigns/index.ts'
import { type EventType, sampleContent } from '../../events/catalogue/index.ts'
import type { NewEvent } from '../../events/index.ts'
import type { Label } from '../../labels/index.ts'
import { type leadRecord, sendingByStatus } from '../../leads/index.ts'
import { allEvents } from '../index.ts'

/**
 * What a test call sends: an event of the destination's type with made-up data (contract §3).
 *
 * @param label of the type, where it is that of a custom label
 */
export function sampleEvent(
  destination: { event_type: string; custom_interest_value: string | null },
  label: Label | undefined,
  workspaceId: string,
  at: Date,
): NewEvent {
  const { event_type, custom_interest_value: labelValue } = destination
  const type = (event_type === allEvents ? 'lead.interested' : event_type) as EventType
  const content = sampleContent(type, {
    lead: (status) => sampleLead(labelValue ?? status, label, workspaceId, at),
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

type SampleLead = ReturnType<typeof leadRecord>

/** One that was sent its first mail, and what has happened to it since, as in a real event. */
function sampleLead(
  status: string,
  label: Label | undefined,
  workspaceId: string,
  at: Date,
): SampleLead {
  const sent: SampleLead = {
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
  const subject = { ...sent, label_id: label?.id ?? null, timestamp_last_click: null }
  const now = { ...sent, ...happened(at)[status], ...sendingByStatus(subject, label) }
  return now.sending_state === 'active' ? { ...now, timestamp_next_send: nextDay(at) } : now
}

const nextDay = (at: Date) => new Date(at.getTime() + 86_400_000)

/** What a lead itself did, by the status that this gives it; a status that a person sets says it alone. */
const happened = (at: Date): Record<string, Partial<SampleLead>> => ({
  opened: { email_open_count: 1, timestamp_last_open: at },
  clicked: { email_click_count: 1 },
  bounced: { sending_state: 'stopped', stop_reason: 'bounced' },
  replied: {
    ...{ email_reply_count: 1, timestamp_last_reply: at },
    ...{ sending_state: 'stopped', stop_reason: 'replied' },
  },
})

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
      ...{
        leads_waiting_for_mailbox: 0,
        leads_held_back: 0,
        held_back_for: null,
        next_send_at: null,
      },
    },
    workspace_id: workspaceId,
    timestamp_created: at,
    timestamp_updated: at,
  }
}
