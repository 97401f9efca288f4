import type { WebhookDescription } from '../../kernel/http/openapi.ts'
import type { EventType } from '../webhooks/index.ts'

const of = (payload: string, description: string): WebhookDescription => ({ description, payload })

/** When an event of each type is sent, and what it holds. */
export const eventWebhooks: Record<Described, WebhookDescription> = {
  'email.sent': of('EmailEvent', 'A mail was accepted by the mail server.'),
  'email.opened': of('EmailEvent', 'The lead opened a mail whose opens are tracked.'),
  'email.clicked': of('EmailEvent', 'The lead followed a link that is tracked.'),
  'email.bounced': of('EmailEvent', 'A mail came back; a hard bounce stops the lead.'),
  'lead.replied': of('ReplyEvent', 'The lead replied.'),
  'lead.auto_replied': of('ReplyEvent', 'A machine replied for the lead.'),
  'lead.unsubscribed': of(
    'LeadEvent',
    'The lead unsubscribed, in the whole workspace: each of its leads has an event of its own.',
  ),
  'lead.interested': of('LeadEvent', 'The lead was marked as interested.'),
  'lead.not_interested': of('LeadEvent', 'The lead was marked as not interested.'),
  'lead.neutral': of('LeadEvent', 'The lead was marked as neutral.'),
  'lead.meeting_booked': of('LeadEvent', 'A meeting with the lead was booked.'),
  'lead.meeting_completed': of('LeadEvent', 'A meeting with the lead took place.'),
  'lead.closed': of('LeadEvent', 'The lead became a customer.'),
  'lead.lost': of('LeadEvent', 'The lead was given up.'),
  'lead.out_of_office': of('LeadEvent', 'The lead is out of office; its mails are paused.'),
  'lead.wrong_person': of('LeadEvent', 'The lead turned out to be the wrong person.'),
  'lead.no_show': of('LeadEvent', 'The lead did not show up.'),
  'lead.completed': of('LeadEvent', 'The lead is done with, or got every mail without a reply.'),
  'lead.label': of(
    'LeadEvent',
    'The lead was given a custom label: the type is `lead.label.` and the id of the label.',
  ),
  'campaign.activated': of('CampaignEvent', 'A campaign was started or resumed.'),
  'campaign.paused': of('CampaignEvent', 'A campaign was paused.'),
  'campaign.completed': of('CampaignEvent', 'All leads of a campaign are finished or stopped.'),
  'mailbox.error': of('MailboxEvent', 'A mailbox cannot send or receive; its owner has to look.'),
  'contact.acquired': of('ContactEvent', 'The address of a contact was revealed and charged.'),
}

type Described = Exclude<EventType, `lead.label.${string}`> | 'lead.label'
