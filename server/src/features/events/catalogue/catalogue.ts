import { bounce, contact, list, mailbox, message, reply } from './sample-data.ts'

/** Whom an event is about, and its `data`: records as the API shows them. */
export interface EventContent {
  campaign: { id: string; name: string } | null
  leadEmail: string | null
  data: Record<string, unknown>
}

/** Made-up records for samples, in the shape of the API. */
interface SampleRecords {
  lead: (status: string) => { email: string }
  campaign: (status: 'active' | 'paused' | 'completed') => { id: string; name: string }
}

interface EventDefinition {
  /** Its name where a person picks what to subscribe to. */
  label: string
  /** When it is sent, for the API reference. */
  description: string
  /** The schema of its body. */
  payload: string
  /** What a test call sends. */
  sample: (records: SampleRecords) => EventContent
}

const ofLead =
  (status: string, data: Record<string, unknown>) =>
  ({ lead, campaign }: SampleRecords): EventContent => {
    const record = lead(status)
    return {
      campaign: campaign('active'),
      leadEmail: record.email,
      data: { lead: record, ...data },
    }
  }

const emailEvent = (
  status: string,
  label: string,
  description: string,
  data = {},
): EventDefinition => ({
  ...{ label, description, payload: 'EmailEvent' },
  sample: ofLead(status, { message, ...data }),
})

const replyEvent = (status: string, label: string, description: string): EventDefinition => ({
  ...{ label, description, payload: 'ReplyEvent' },
  sample: ofLead(status, { message, reply }),
})

const leadEvent = (status: string, label: string, description: string): EventDefinition => ({
  ...{ label, description, payload: 'LeadEvent' },
  sample: ofLead(status, { previous_status: 'contacted' }),
})

const campaignEvent = (
  status: 'active' | 'paused' | 'completed',
  label: string,
  description: string,
): EventDefinition => ({
  ...{ label, description, payload: 'CampaignEvent' },
  sample(records) {
    const campaign = records.campaign(status)
    const previous_status = status === 'active' ? 'paused' : 'active'
    return { campaign, leadEmail: null, data: { campaign, previous_status } }
  },
})

/** Every type of event (contract §3). A custom label has a type of its own, `lead.label.<id>`. */
export const eventCatalogue = {
  'email.sent': emailEvent('contacted', 'E-mail sent', 'A mail was accepted by the mail server.'),
  'email.opened': emailEvent(
    'opened',
    'E-mail opened',
    'The lead opened a mail whose opens are tracked.',
  ),
  'email.clicked': emailEvent(
    'clicked',
    'Link clicked',
    'The lead followed a link that is tracked.',
    { url: 'https://example.com/' },
  ),
  'email.bounced': emailEvent(
    'bounced',
    'E-mail bounced',
    'A mail came back; a hard bounce stops the lead.',
    { bounce },
  ),
  'lead.replied': replyEvent('replied', 'Lead replied', 'The lead replied.'),
  'lead.auto_replied': replyEvent(
    'contacted',
    'Automatic reply',
    'A machine replied for the lead.',
  ),
  'lead.unsubscribed': leadEvent(
    'unsubscribed',
    'Lead unsubscribed',
    'The lead unsubscribed, in the whole workspace: each of its leads has an event of its own.',
  ),
  'lead.interested': leadEvent(
    'interested',
    'Lead interested',
    'The lead was marked as interested.',
  ),
  'lead.not_interested': leadEvent(
    'not_interested',
    'Lead not interested',
    'The lead was marked as not interested.',
  ),
  'lead.neutral': leadEvent('neutral', 'Lead neutral', 'The lead was marked as neutral.'),
  'lead.meeting_booked': leadEvent(
    'meeting_booked',
    'Meeting booked',
    'A meeting with the lead was booked.',
  ),
  'lead.meeting_completed': leadEvent(
    'meeting_completed',
    'Meeting held',
    'A meeting with the lead took place.',
  ),
  'lead.closed': leadEvent('closed', 'Lead closed', 'The lead became a customer.'),
  'lead.lost': leadEvent('lost', 'Lead lost', 'The lead was given up.'),
  'lead.out_of_office': leadEvent(
    'out_of_office',
    'Lead out of office',
    'The lead is out of office; its mails are paused.',
  ),
  'lead.wrong_person': leadEvent(
    'wrong_person',
    'Wrong person',
    'The lead turned out to be the wrong person.',
  ),
  'lead.no_show': leadEvent('no_show', 'No-show', 'The lead did not show up.'),
  'lead.completed': leadEvent(
    'completed',
    'Lead completed',
    'The lead is done with, got every mail without a reply, or its next one is overdue for too long.',
  ),
  'lead.label': leadEvent(
    'label',
    'Custom label given',
    'The lead was given a custom label: the type is `lead.label.` and the id of the label.',
  ),
  'campaign.activated': campaignEvent(
    'active',
    'Campaign activated',
    'A campaign was started or resumed.',
  ),
  'campaign.paused': campaignEvent('paused', 'Campaign paused', 'A campaign was paused.'),
  'campaign.completed': campaignEvent(
    'completed',
    'Campaign completed',
    'All leads of a campaign are finished or stopped.',
  ),
  'mailbox.error': {
    label: 'Mailbox in error',
    description: 'A mailbox cannot send or receive; its owner has to look.',
    payload: 'MailboxEvent',
    sample: () => ({
      campaign: null,
      leadEmail: null,
      data: { mailbox, reason: 'The server refused the password.' },
    }),
  },
  'contact.acquired': {
    label: 'Address revealed',
    description: 'The address of a contact was revealed and charged.',
    payload: 'ContactEvent',
    sample: () => ({
      campaign: null,
      leadEmail: contact.email,
      data: { contact, list, credits_charged: 1 },
    }),
  },
} satisfies Record<string, EventDefinition>

type StandardEventType = Exclude<keyof typeof eventCatalogue, 'lead.label'>

export type EventType = StandardEventType | `lead.label.${string}`

/** The types that every workspace has, in the order of the list. */
export const standardEventTypes = Object.keys(eventCatalogue).filter(
  (type): type is StandardEventType => type !== 'lead.label',
)

/** Made-up content of an event of this type. */
export function sampleContent(type: EventType, records: SampleRecords): EventContent {
  const isStandard = (text: string): text is StandardEventType => text in eventCatalogue
  return eventCatalogue[isStandard(type) ? type : 'lead.label'].sample(records)
}
