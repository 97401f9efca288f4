import { type TSchema, Type } from 'typebox'
import { Nullable, Timestamp, Uuid } from '../../../kernel/http/schema.ts'
import { eventCatalogue } from './catalogue.ts'

const text = (example: string, description?: string) =>
  Type.String({ ...(description ? { description } : {}), examples: [example] })

const id = (example: string, description?: string) =>
  Type.Unsafe<string>({ ...Uuid, ...(description ? { description } : {}), examples: [example] })

const nullable = (schema: TSchema, example: unknown, description?: string) =>
  Type.Unsafe({
    ...Nullable(schema),
    ...(description ? { description } : {}),
    examples: [example],
  })

const record = ($id: string) => Type.Unsafe({ $ref: `${$id}#` })

const eventId = '019a9d5e-7f00-7c31-9d0a-5e1f6a2b3c4d'
const campaignId = '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d'

const envelope = {
  id: id(eventId, 'Of the event, the same on every attempt: dedupe by it.'),
  event_id: id(eventId, 'Equals `id`.'),
  timestamp: Type.Unsafe<Date>({
    ...Timestamp,
    description: 'Of the event; sort by it.',
    examples: ['2026-11-20T09:37:00.123Z'],
  }),
  workspace_id: id('019a9d5e-0000-7c31-9d0a-5e1f6a2b3c4d'),
  campaign_id: nullable(Uuid, campaignId),
  campaign_name: nullable(Type.String(), 'Founders in Berlin'),
  lead_email: nullable(Type.String(), 'ann@example.com'),
  custom_interest_value: nullable(
    Type.String(),
    null,
    'The value of the custom label that was given; else null.',
  ),
  test: Type.Optional(Type.Boolean({ description: 'True in the sample of a test call.' })),
  truncated: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'JSON pointers to texts that were cut, since the whole would exceed 64 KiB; `/data` ' +
        'when nothing of it could stay.',
    }),
  ),
}

/** The types whose bodies have this schema. */
const typesOf = (payload: string) =>
  Object.entries(eventCatalogue).flatMap(([type, event]) =>
    event.payload === payload ? [type] : [],
  )

const none = nullable(Type.String(), null)

/** The fields of every payload (contract §4), and the schema of `data` for these types. */
function payload(
  $id: string,
  description: string,
  type: TSchema,
  data: Record<string, TSchema>,
  withoutValue: Partial<typeof envelope> = {},
) {
  const { id, ...rest } = { ...envelope, ...withoutValue }
  const fields = { id, type, event_type: type, ...rest, data: Type.Object(data) }
  return Type.Object(fields, { $id, description })
}

const Message = Type.Object(
  {
    message_id: text('<019a9d5e@example.com>'),
    subject: text('Hello Ann'),
    step: Type.Integer({ description: 'Counted from 1.', examples: [1] }),
    variant: Type.Integer({ description: 'Counted from 1.', examples: [1] }),
    mailbox: text('anna@example.org', 'The mailbox that sent it.'),
  },
  { description: 'The mail that was sent.' },
)

const Bounce = Type.Object(
  {
    kind: Type.Enum(['hard', 'soft']),
    code: text('5.1.1', 'The enhanced status code of RFC 3463.'),
    diagnostic: text('550 No such mailbox'),
  },
  { description: 'Of `email.bounced`.' },
)

const Reply = Type.Object({
  message_id: nullable(
    Type.String(),
    '<reply@example.com>',
    'Null where the reply came without one.',
  ),
  subject: text('Re: Hello Ann'),
  text: text('Sounds good. When do you have time?'),
  html: nullable(Type.String(), null),
  snippet: text('Sounds good. When do you have time?'),
})

const lead = record('Lead')
const previousStatus = text('contacted', 'What the status was before.')

const EmailEvent = payload(
  'EmailEvent',
  'Something happened to a mail of a campaign.',
  Type.Enum(typesOf('EmailEvent')),
  {
    lead,
    message: Message,
    url: Type.Optional(text('https://example.com/', 'The link, of `email.clicked`.')),
    bounce: Type.Optional(Bounce),
  },
)

const ReplyEvent = payload(
  'ReplyEvent',
  'A lead, or a machine for it, answered a mail.',
  Type.Enum(typesOf('ReplyEvent')),
  { lead, message: Message, reply: Reply },
)

const LeadEvent = payload(
  'LeadEvent',
  'The status of a lead was set, by a person or by the service.',
  text('lead.interested', 'One of the `lead.…` types, or `lead.label.<id of a custom label>`.'),
  { lead, previous_status: previousStatus },
)

const CampaignEvent = payload(
  'CampaignEvent',
  'The status of a campaign changed.',
  Type.Enum(typesOf('CampaignEvent')),
  { campaign: record('Campaign'), previous_status: previousStatus },
  { lead_email: none },
)

const MailboxEvent = payload(
  'MailboxEvent',
  'A mailbox cannot send or receive.',
  Type.Enum(typesOf('MailboxEvent')),
  { mailbox: text('anna@example.org'), reason: text('The server refused the password.') },
  { campaign_id: none, campaign_name: none, lead_email: none },
)

const ContactEvent = payload(
  'ContactEvent',
  'The address of a contact was revealed; `lead_email` is that address.',
  Type.Enum(typesOf('ContactEvent')),
  {
    contact: record('RevealedContact'),
    list: Nullable(
      Type.Object(
        { id: id('019a9d5e-c001-7c31-9d0a-5e1f6a2b3c4d'), name: text('Founders in London') },
        { description: 'That it was put into.' },
      ),
    ),
    credits_charged: Type.Integer({ examples: [1] }),
  },
  { campaign_id: none, campaign_name: none },
)

export const eventPayloadSchemas = [
  EmailEvent,
  ReplyEvent,
  LeadEvent,
  CampaignEvent,
  MailboxEvent,
  ContactEvent,
]
