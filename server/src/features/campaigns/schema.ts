import { type Static, type TSchema, Type } from 'typebox'
import { Name, Nullable, Page, ref, Timestamp, Uuid } from '../../kernel/http/schema.ts'
import {
  CampaignSchedule,
  CampaignScheduleInput,
  scheduleExample,
} from './schedule/schedule-schema.ts'
import {
  CampaignSequence,
  CampaignSequenceInput,
  newSequenceExample,
  sequenceExample,
} from './sequence/sequence-schema.ts'

export const campaignStatuses = ['draft', 'active', 'paused', 'completed'] as const
export type CampaignStatus = (typeof campaignStatuses)[number]

export const waitingReasons = [
  'draft',
  'paused',
  'completed',
  'outside_schedule',
  'schedule_ended',
  'waiting_for_step_delay',
  'no_leads',
  'no_new_leads',
  'leads_held_back',
  'campaign_daily_limit',
  'mailbox_daily_limits',
  'no_mailbox',
  'waiting_for_mailbox',
  'mailboxes_unhealthy',
  'bounce_protection',
  'plan_required',
  'restore_unconfirmed',
  'workspace_moving',
] as const
export type WaitingReason = (typeof waitingReasons)[number]

const integer = (minimum: number, maximum: number, description: string) =>
  Type.Integer({ minimum, maximum, description })

const integerOrNull = (minimum: number, maximum: number, description: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum, maximum, description })

const addresses = (maxItems: number, description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 320, 'x-trim': true }), {
    maxItems,
    description,
  })

const described = <T extends TSchema>(schema: T, description: string) =>
  Type.Unsafe<Static<T>>({ ...schema, description })

const flag = (description: string) => Type.Boolean({ description })

/** The settings that look the same in a request and in the record. */
const plain = {
  email_list: addresses(
    1000,
    'Addresses of mailboxes of this workspace that the campaign sends from; answered as the mailbox spells them.',
  ),
  daily_limit: integerOrNull(1, 100_000, 'Mails a day of this campaign; null: no limit.'),
  daily_max_leads: integerOrNull(
    0,
    100_000,
    'Leads a day that get their first mail; null: no limit.',
  ),
  email_gap: integer(0, 1440, 'Minutes between two mails of one mailbox.'),
  random_wait_max: integer(0, 1440, 'Up to so many minutes are added to `email_gap`.'),
  stop_on_reply: flag('A reply stops the lead.'),
  stop_on_auto_reply: flag('An automatic reply stops the lead.'),
  stop_for_company: flag('A reply stops every lead of the same company domain.'),
  open_tracking: flag('Count opens with an invisible image; needs a public address for links.'),
  link_tracking: flag('Count clicks by rewriting links; needs a public address for links.'),
  text_only: flag('Send plain text instead of HTML.'),
  first_email_text_only: flag('Send the first mail of a lead as plain text.'),
  insert_unsubscribe_header: flag(
    'Add List-Unsubscribe: with one click (RFC 8058), or by mail where links have no public address.',
  ),
  prioritize_new_leads: flag('First mails go before follow-ups.'),
  cc_list: addresses(20, 'Addresses that get a copy of every mail.'),
  bcc_list: addresses(20, 'Addresses that get a blind copy of every mail.'),
  expire_after_days: integerOrNull(
    1,
    3650,
    'A follow-up overdue for longer is not sent any more, and its lead is completed; null: sent however late. Of a lead that is set active again it is overdue from then on. First mails wait as long as the limits make them.',
  ),
}

export type PlainSettings = Static<ReturnType<typeof Type.Object<typeof plain>>>

export const plainDefaults: PlainSettings = {
  email_list: [],
  daily_limit: null,
  daily_max_leads: null,
  email_gap: 5,
  random_wait_max: 5,
  stop_on_reply: true,
  stop_on_auto_reply: false,
  stop_for_company: false,
  open_tracking: false,
  link_tracking: false,
  text_only: false,
  first_email_text_only: false,
  insert_unsubscribe_header: true,
  prioritize_new_leads: false,
  cc_list: [],
  bcc_list: [],
  expire_after_days: null,
}

const LeadCounts = Type.Object(
  {
    total: Type.Integer({ description: 'All leads of the campaign.' }),
    active: Type.Integer({ description: 'Neither finished nor stopped; paused ones included.' }),
    completed: Type.Integer({
      description:
        'Every step was sent, or the next is overdue for longer than `expire_after_days`, or marked as completed.',
    }),
    replied: Type.Integer({
      description: 'Those that replied, also when they are active or completed.',
    }),
    bounced: Type.Integer({ description: 'Those whose mail bounced for good.' }),
    unsubscribed: Type.Integer({ description: 'Those that want no more mail.' }),
  },
  { description: 'Kept up to date with every change of a lead.' },
)

const SendingStatus = Type.Object(
  {
    state: Type.Enum(['sending', 'waiting'], { description: 'Whether mail goes out just now.' }),
    reason: Type.Unsafe<WaitingReason | null>({
      type: ['string', 'null'],
      enum: [...waitingReasons, null],
      description: 'What it waits for; null while it sends.',
    }),
    leads_waiting_for_mailbox: Type.Integer({
      description:
        'Leads with a follow-up to come whose mailbox does not send for this campaign: it was ' +
        'removed, left `email_list`, is paused or in error. A conversation goes on from its own ' +
        'mailbox, or from the one that it is handed over to.',
    }),
    leads_held_back: Type.Integer({
      description:
        'Leads that get nothing because their mail could not be made, or their mail server refused it; ' +
        '`skip_reason` of each says which. They are `paused`. Those whose mail could not be made go on ' +
        'by themselves once their values or the `sequences` are changed, the others once they are set to `active`. ' +
        'At most 1,000 are counted: that many are at least so many.',
    }),
    held_back_for: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description:
        'What is wrong with the first mail that could not be made, such as a variable that the lead ' +
        'lacks and the text gives no default for. Null where there is none.',
      examples: ['The lead has no city, and the template gives no default.'],
    }),
    next_send_at: described(
      Nullable(Timestamp),
      'When what it waits for is over by itself: its schedule, a delay, what may be sent in a day. Null while it sends, and where something must be done first.',
    ),
  },
  { description: 'Answers why a campaign is not sending, as of this response.' },
)

const managed = {
  id: described(Uuid, 'Made by the service.'),
  status_reason: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'Why the service itself set the status; null when a person did.',
  }),
  lead_counts: LeadCounts,
  sending_status: SendingStatus,
  workspace_id: described(Uuid, "The key's workspace."),
  timestamp_created: described(Timestamp, 'ISO 8601 UTC.'),
  timestamp_updated: described(Timestamp, 'ISO 8601 UTC; of the last real change.'),
}

const nameDescription = 'Shown to people and in events; never to a lead.'
const name = described(Name, nameDescription)

const Status = Type.Enum([...campaignStatuses], {
  description:
    'PATCH `active` starts or resumes, `paused` stops. `completed` is set by the service when ' +
    'the campaign has leads and all of them are finished or stopped.',
})

const example = {
  id: '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d',
  name: 'Founders in Berlin',
  status: 'active',
  status_reason: null,
  campaign_schedule: scheduleExample,
  sequences: [sequenceExample],
  ...plainDefaults,
  email_list: ['anna@example.com'],
  daily_limit: 200,
  lead_counts: { total: 120, active: 87, completed: 21, replied: 9, bounced: 2, unsubscribed: 1 },
  sending_status: {
    state: 'waiting',
    reason: 'outside_schedule',
    leads_waiting_for_mailbox: 0,
    leads_held_back: 0,
    held_back_for: null,
    next_send_at: '2026-11-21T08:00:00.000Z',
  },
  workspace_id: '019a9d5e-0000-7c31-9d0a-5e1f6a2b3c4d',
  timestamp_created: '2026-11-20T09:37:00.123Z',
  timestamp_updated: '2026-11-20T09:41:12.456Z',
}

export const Campaign = Type.Object(
  {
    id: managed.id,
    name: Type.String({ description: nameDescription }),
    status: Status,
    status_reason: managed.status_reason,
    campaign_schedule: ref(CampaignSchedule),
    sequences: Type.Array(ref(CampaignSequence), { description: 'One sequence, or none yet.' }),
    ...plain,
    lead_counts: managed.lead_counts,
    sending_status: managed.sending_status,
    workspace_id: managed.workspace_id,
    timestamp_created: managed.timestamp_created,
    timestamp_updated: managed.timestamp_updated,
  },
  {
    $id: 'Campaign',
    description: 'A campaign with its settings, and where it stands.',
    examples: [example],
  },
)

export const CampaignPage = Page(Campaign)

const changeable = {
  ...plain,
  campaign_schedule: ref(CampaignScheduleInput),
  schedule: ref(CampaignScheduleInput),
  sequences: Type.Array(ref(CampaignSequenceInput), {
    maxItems: 1,
    description: 'One sequence, or none yet.',
  }),
}

export const CampaignInput = Type.Object(
  {
    name,
    ...Type.Partial(Type.Object(withDefaults(changeable, { ...plainDefaults, sequences: [] })))
      .properties,
    status: Type.Optional(
      Type.Enum(['draft'], { description: 'A campaign starts as a draft; activate it by PATCH.' }),
    ),
  },
  {
    $id: 'CampaignInput',
    description: 'A campaign to create; everything but the name has a default.',
    additionalProperties: false,
    examples: [
      { name: 'Founders in Berlin' },
      {
        name: 'Founders in Berlin',
        campaign_schedule: scheduleExample,
        sequences: [newSequenceExample],
        daily_limit: 200,
      },
    ],
  },
)

function withDefaults<T extends Record<string, TSchema>>(fields: T, defaults: object): T {
  const entries = Object.entries(fields).map(([name, schema]) => {
    const value: unknown = defaults[name as keyof typeof defaults]
    return [name, value === undefined ? schema : Type.Unsafe({ ...schema, default: value })]
  })
  return Object.fromEntries(entries) as T
}

/**
 * Any value is taken and compared. The document has the type, without which some clients send null
 * for each of these that was not set.
 */
const readOnly = (schema: TSchema) =>
  Type.Unknown({
    readOnly: true,
    'x-document': {
      ...schema,
      description:
        `Ignored when sent back as it was read. ${'description' in schema ? schema.description : ''}`.trim(),
    },
  })

export const CampaignChanges = Type.Partial(
  Type.Object({
    name,
    status: Status,
    ...changeable,
    id: readOnly(managed.id),
    status_reason: readOnly(managed.status_reason),
    lead_counts: readOnly(managed.lead_counts),
    sending_status: readOnly(managed.sending_status),
    workspace_id: readOnly(managed.workspace_id),
    timestamp_created: readOnly(managed.timestamp_created),
    timestamp_updated: readOnly(managed.timestamp_updated),
  }),
  {
    $id: 'CampaignChanges',
    description: 'What is to change of a campaign; what is left out stays.',
    additionalProperties: false,
    examples: [{ status: 'active' }, { daily_limit: 100, stop_on_auto_reply: true }],
  },
)

export type Campaign = Static<typeof Campaign>
/** How many leads of each kind there are or, in a change, how many more or fewer. */
export type LeadCounts = Campaign['lead_counts']
export type CampaignInput = Static<typeof CampaignInput>
export type CampaignChanges = Static<typeof CampaignChanges>
