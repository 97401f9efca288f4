import { plainDefaults } from '../campaigns/index.ts'
import type { NewEvent } from '../events/index.ts'
import type { leadRecord } from '../leads/index.ts'
import { allEvents, type EventType } from '../webhooks/index.ts'

/** What a test call sends: an event of the destination's type with made-up data (contract §3). */
export function sampleEvent(
  destination: { event_type: string; custom_interest_value: string | null },
  workspaceId: string,
  at: Date,
): NewEvent {
  const type = (
    destination.event_type === allEvents ? 'lead.interested' : destination.event_type
  ) as EventType
  const campaign = sampleCampaign(type, workspaceId, at)
  if (type === 'mailbox.error') {
    return {
      type,
      campaign: null,
      leadEmail: null,
      test: true,
      data: { mailbox, reason: 'The server refused the password.' },
    }
  }
  if (type === 'contact.acquired') {
    const list = { id: '00000000-0000-7000-8000-000000000003', name: 'Sample list' }
    return {
      type,
      campaign: null,
      leadEmail: contact.email,
      test: true,
      data: { contact, list, credits_charged: 1 },
    }
  }
  return {
    type,
    campaign,
    leadEmail: type.startsWith('campaign.') ? null : lead.email,
    customInterestValue: destination.custom_interest_value,
    test: true,
    data: type.startsWith('campaign.')
      ? { campaign, previous_status: campaign.status === 'active' ? 'paused' : 'active' }
      : { lead: sampleLead(type, workspaceId, at), ...specifics(type) },
  }
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

const contact = {
  contact_id: '00000000-0000-7000-8000-000000000004',
  first_name: 'Ada',
  last_name: 'Lovelace',
  title: 'Analyst',
  seniority: 'senior',
  department: 'engineering',
  company: {
    company_id: '00000000-0000-7000-8000-000000000005',
    name: 'Example Ltd',
    domain: 'example.com',
    industry: 'software',
    employee_count: 120,
  },
  city: 'London',
  country: 'United Kingdom',
  linkedin_url: null,
  email: lead.email,
  email_status: 'verified',
  confidence: null,
}

function sampleLead(type: string, workspaceId: string, at: Date): ReturnType<typeof leadRecord> {
  const status = type.startsWith('lead.') ? type.slice('lead.'.length) : 'contacted'
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

function sampleCampaign(type: string, workspaceId: string, at: Date) {
  const status = statusOfEvent[type] ?? 'active'
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
    sending_status:
      status === 'active'
        ? { state: 'sending', reason: null, leads_waiting_for_mailbox: 0 }
        : { state: 'waiting', reason: status, leads_waiting_for_mailbox: 0 },
    workspace_id: workspaceId,
    timestamp_created: at,
    timestamp_updated: at,
  }
}

const statusOfEvent: Record<string, 'paused' | 'completed'> = {
  'campaign.paused': 'paused',
  'campaign.completed': 'completed',
}

function specifics(type: string): Record<string, unknown> {
  const message = {
    message_id: '<sample@example.com>',
    subject: 'A sample',
    step: 1,
    variant: 1,
    mailbox,
  }
  if (type === 'email.clicked') return { message, url: 'https://example.com/' }
  if (type === 'email.bounced') {
    return { message, bounce: { kind: 'hard', code: '5.1.1', diagnostic: 'No such mailbox' } }
  }
  if (type.startsWith('email.')) return { message }
  if (type === 'lead.replied' || type === 'lead.auto_replied') {
    const text = 'Sounds good. When do you have time?'
    const reply = { message_id: '<reply@example.com>', subject: 'Re: A sample' }
    return { message, reply: { ...reply, text, html: `<p>${text}</p>`, snippet: text } }
  }
  return { previous_status: 'contacted' }
}
