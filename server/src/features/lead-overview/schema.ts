import { type Static, Type } from 'typebox'
import { Nullable, ref, Timestamp, Uuid } from '../../kernel/http/schema.ts'
import { Lead, leadExample } from '../leads/index.ts'

const NullableText = Nullable(Type.String())
const id = '019a9d5e-8a10-7c31-9d0a-5e1f6a2b3c4d'
const campaignId = '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d'
const time = '2026-11-20T09:37:00.123Z'

export const LeadOverview = Type.Object(
  {
    lead: ref(Lead),
    label_id: Nullable(Uuid),
    campaign_name: Type.String(),
    step: Type.Integer({
      description: 'How many of these the lead has behind it, sent or passed over.',
    }),
    steps_total: Type.Integer({ description: 'Steps of the campaign as it is now.' }),
    mailbox_id: Nullable(Uuid),
    reasons: Type.Array(Type.String(), {
      description: 'What keeps the lead from getting a mail, each as a sentence.',
    }),
    variables: Type.Array(
      Type.Object({
        name: Type.String(),
        is_missing: Type.Boolean({ description: 'The mail that keeps the lead back lacks it.' }),
      }),
      { description: 'What the mails of the campaign say of a lead: its fields and variables.' },
    ),
    mailbox_sends_at: Nullable(
      Type.Unsafe<Date>({
        ...Timestamp,
        description:
          'The mail is due and nothing keeps it back but the gap of its mailbox, which is over then; others may be before it.',
      }),
    ),
    campaigns: Type.Array(
      Type.Object({
        lead_id: Uuid,
        campaign_id: Uuid,
        campaign_name: Type.String(),
        status: Type.String(),
        sending_state: Type.String(),
        current_step: Type.Integer(),
        timestamp_last_contact: Nullable(Timestamp),
      }),
      { description: 'Every campaign that the address is in, this one too.' },
    ),
    has_conversation: Type.Boolean({ description: 'Something came in: the inbox shows it.' }),
    is_erased: Type.Boolean({ description: 'The person was taken out; the row stays.' }),
  },
  {
    $id: 'LeadOverview',
    description: 'A lead, where it is in its sequence, and why.',
    examples: [
      {
        lead: leadExample,
        ...{ label_id: null, campaign_name: 'Autumn', step: 1, steps_total: 3 },
        mailbox_id: null,
        reasons: ['Nothing is sent to this lead: it is stopped (manual).'],
        variables: [{ name: 'first_name', is_missing: false }],
        mailbox_sends_at: null,
        campaigns: [
          {
            ...{ lead_id: id, campaign_id: campaignId, campaign_name: 'Autumn' },
            ...{ status: 'meeting_booked', sending_state: 'stopped', current_step: 1 },
            timestamp_last_contact: time,
          },
        ],
        ...{ has_conversation: true, is_erased: false },
      },
    ],
  },
)

export const HeldBack = Type.Object(
  {
    leads: Type.Integer({ description: 'That were looked at: the first 1,000 at most.' }),
    reasons: Type.Array(
      Type.Object({
        leads: Type.Integer(),
        reason: Type.String({ description: 'As a sentence.' }),
        missing: Type.Array(Type.String(), { description: 'What they lack, where that is why.' }),
      }),
      { description: 'What holds back most of them first; at most five.' },
    ),
  },
  {
    $id: 'HeldBack',
    description: 'Why leads of a campaign are held back.',
    examples: [
      {
        leads: 6,
        reasons: [
          {
            ...{ leads: 6, missing: ['city'] },
            reason: 'The lead has no city, and the template gives no default.',
          },
        ],
      },
    ],
  },
)

export const LeadHistoryItem = Type.Object(
  {
    id: Uuid,
    kind: Type.Enum(['message', 'event', 'delivery', 'change']),
    name: Type.String({
      description: 'The kind of mail, the type of the event, or the action of the audit log.',
    }),
    direction: Nullable(Type.Enum(['in', 'out'], { description: 'Of a mail.' })),
    subject: NullableText,
    snippet: NullableText,
    from_address: NullableText,
    step: Nullable(Type.Integer()),
    success: Nullable(Type.Boolean({ description: 'Of a delivery attempt.' })),
    status_code: Nullable(Type.Integer()),
    webhook_id: Nullable(Uuid),
    event_id: Nullable(Uuid),
    actor_type: NullableText,
    actor_id: Nullable(Uuid),
    actor_name: Nullable(Type.String({ description: 'Of a person or a key that is still there.' })),
    details: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
    timestamp: Timestamp,
  },
  {
    $id: 'LeadHistoryItem',
    description: 'Something that happened to a lead.',
    examples: [
      {
        ...{ id, kind: 'message', name: 'step', direction: 'out', subject: 'Hello', step: 1 },
        ...{ snippet: 'Hi Ann', from_address: 'sales@example.org', success: null },
        ...{ status_code: null, webhook_id: null, event_id: null, actor_type: null },
        ...{ actor_id: null, actor_name: null, details: {}, timestamp: time },
      },
    ],
  },
)

export const LeadHistory = Type.Object(
  {
    items: Type.Array(ref(LeadHistoryItem)),
    next_starting_after: Type.Optional(Uuid),
  },
  { $id: 'LeadHistory', description: 'One page, newest first.' },
)

export type LeadOverview = Static<typeof LeadOverview>
export type HeldBack = Static<typeof HeldBack>
export type LeadHistoryItem = Static<typeof LeadHistoryItem>
