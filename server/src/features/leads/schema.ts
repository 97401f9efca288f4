import { type Static, Type } from 'typebox'
import { Nullable, ref, Timestamp, Uuid } from '../../kernel/http/schema.ts'
import { builtinStatuses } from '../labels/index.ts'

export const leadsMax = 1000
export const variablesMax = 100
export const variableNameMax = 64
export const variableTextMax = 4000

type Scalar = string | number | boolean

/**
 * Texts of a lead that a caller may set, with the most characters each may have; `insert_leads` has
 * a parameter for each.
 */
export const textFields = {
  first_name: 1000,
  last_name: 1000,
  company_name: 1000,
  company_domain: 1000,
  job_title: 1000,
  phone: 1000,
  website: 1000,
  personalization: 10_000,
} as const

export type TextField = keyof typeof textFields
export const textNames = Object.keys(textFields) as TextField[]

/** A member for each text, made from the most characters that it may have. */
export const textMembers = <T>(make: (maxLength: number) => T) =>
  Object.fromEntries(textNames.map((name) => [name, make(textFields[name])])) as Record<
    TextField,
    T
  >

const TextInput = (maxLength: number) =>
  Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength }))

export const LeadInput = Type.Object(
  {
    email: Type.String({
      description: 'One bare address of at most 254 characters. Judged by its syntax only.',
    }),
    ...textMembers(TextInput),
    custom_variables: Type.Optional(
      Type.Unsafe<Record<string, Scalar | null> | null>({
        type: ['object', 'null'],
        additionalProperties: {
          type: ['string', 'number', 'boolean', 'null'],
          maxLength: variableTextMax,
        },
        description:
          `At most ${variablesMax}, with names of 1 to ${variableNameMax} characters. ` +
          'A number beyond ±9007199254740991 is sent as a text, which keeps all of its digits. ' +
          'With `overwrite`, null removes one.',
      }),
    ),
  },
  {
    $id: 'LeadInput',
    additionalProperties: true,
    description:
      'Any other text, number or boolean becomes a custom variable; `custom_variables` wins. ' +
      'Read-only fields of a lead are ignored.',
    examples: [
      {
        email: 'ann@example.com',
        first_name: 'Ann',
        company_name: 'Example Ltd',
        custom_variables: { plan: 'pro', seats: 12 },
      },
    ],
  },
)

export const AddLeads = Type.Object(
  {
    campaign_id: Uuid,
    leads: Type.Array(ref(LeadInput), { minItems: 1, maxItems: leadsMax }),
    skip_if_in_workspace: Type.Boolean({
      default: false,
      description: 'Leave out addresses that are in another campaign of the workspace.',
    }),
    overwrite: Type.Boolean({
      default: false,
      description: 'Update the supplied fields of leads that are in the campaign already.',
    }),
  },
  {
    $id: 'AddLeads',
    description: 'Leads for one campaign.',
    additionalProperties: false,
    examples: [
      {
        campaign_id: '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d',
        leads: [{ email: 'ann@example.com', first_name: 'Ann' }],
      },
    ],
  },
)

/** In the order in which a row is judged. */
const skipReasons = [
  'invalid_email',
  'duplicate_in_request',
  'in_blocklist',
  'unsubscribed',
  'bounced',
  'in_workspace',
  'already_in_campaign',
] as const

export const AddedLeads = Type.Object(
  {
    status: Type.Enum(['success']),
    campaign_id: Uuid,
    total_sent: Type.Integer({ description: 'Rows of the request: the sum of the next seven.' }),
    leads_uploaded: Type.Integer(),
    leads_updated: Type.Integer(),
    duplicated_leads: Type.Integer({ description: 'Already in the campaign.' }),
    duplicate_email_count: Type.Integer({
      description: 'The same address again in this request; its first row counts.',
    }),
    skipped_count: Type.Integer({ description: 'Left out by `skip_if_in_workspace`.' }),
    invalid_email_count: Type.Integer(),
    in_blocklist: Type.Integer({ description: 'Blocked, unsubscribed or bounced addresses.' }),
    remaining_in_plan: Nullable(
      Type.Integer({ description: 'Leads that the plan still has room for; null = unlimited.' }),
    ),
    created_leads: Type.Array(
      Type.Object({ index: Type.Integer(), id: Uuid, email: Type.String() }),
      { description: 'By `index`, the row in the request, from 0.' },
    ),
    skipped_leads: Type.Array(
      Type.Object({
        index: Type.Integer(),
        email: Type.String(),
        reason: Type.Enum([...skipReasons]),
      }),
    ),
  },
  {
    $id: 'AddedLeads',
    description: 'What became of each row.',
    examples: [
      {
        status: 'success',
        campaign_id: '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d',
        total_sent: 2,
        leads_uploaded: 1,
        leads_updated: 0,
        duplicated_leads: 0,
        duplicate_email_count: 0,
        skipped_count: 0,
        invalid_email_count: 1,
        in_blocklist: 0,
        remaining_in_plan: null,
        created_leads: [
          { index: 0, id: '019a9d5e-8a10-7c31-9d0a-5e1f6a2b3c4d', email: 'ann@example.com' },
        ],
        skipped_leads: [{ index: 1, email: 'bob@', reason: 'invalid_email' }],
      },
    ],
  },
)

export const LeadLookup = Type.Object({
  email: Type.String({
    minLength: 1,
    description: 'URL-encoded; a space is read as `+`, which is what an unencoded `+` arrives as.',
  }),
  campaign_id: Type.Unsafe<string>({ ...Uuid, description: 'The campaign the lead is in.' }),
})

export const LeadStatusInput = Type.Object(
  {
    campaign_id: Uuid,
    email: Type.String({ minLength: 1 }),
    new_status: Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        `One of ${builtinStatuses.join(', ')}, or the id, value or name of a custom label. ` +
        'Case, spaces, `-`, `_` and a leading `lead.` do not matter.',
    }),
  },
  {
    $id: 'LeadStatusInput',
    description: 'Which lead of which campaign, and what it is now.',
    additionalProperties: false,
    examples: [
      {
        campaign_id: '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d',
        email: 'ann@example.com',
        new_status: 'meeting_booked',
      },
    ],
  },
)

const NullableText = Nullable(Type.String())
const NullableTime = Nullable(Timestamp)

export const leadExample = {
  id: '019a9d5e-8a10-7c31-9d0a-5e1f6a2b3c4d',
  campaign_id: '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d',
  email: 'ann@example.com',
  first_name: 'Ann',
  last_name: null,
  company_name: 'Example Ltd',
  company_domain: null,
  job_title: null,
  phone: null,
  website: null,
  personalization: null,
  custom_variables: { plan: 'pro', seats: 12 },
  status: 'meeting_booked',
  sending_state: 'stopped',
  stop_reason: 'manual',
  skip_reason: null,
  current_step: 1,
  last_contacted_from: 'sales@example.org',
  email_open_count: 1,
  email_click_count: 0,
  email_reply_count: 1,
  timestamp_last_contact: '2026-11-19T09:00:12.004Z',
  timestamp_last_open: '2026-11-19T10:12:00.500Z',
  timestamp_last_reply: '2026-11-19T10:20:31.120Z',
  timestamp_next_send: null,
  workspace_id: '019a9d5e-0000-7c31-9d0a-5e1f6a2b3c4d',
  timestamp_created: '2026-11-18T08:00:00.000Z',
  timestamp_updated: '2026-11-20T09:37:00.123Z',
}

export const Lead = Type.Object(
  {
    id: Uuid,
    campaign_id: Uuid,
    email: Type.String({ description: 'As it was typed.' }),
    ...textMembers(() => NullableText),
    custom_variables: Type.Unsafe<Record<string, Scalar>>({
      type: 'object',
      additionalProperties: true,
    }),
    status: Type.String({
      description:
        'What the lead means to people: new, contacted, opened, clicked, replied, bounced, a ' +
        'status that was set, or the value of a custom label.',
    }),
    sending_state: Type.Enum(['pending', 'active', 'paused', 'finished', 'stopped'], {
      description: 'What the sender does with the lead.',
    }),
    stop_reason: Nullable(
      Type.Enum([
        'replied',
        'auto_replied',
        'bounced',
        'unsubscribed',
        'company_replied',
        'manual',
        'blocked',
      ]),
    ),
    skip_reason: Nullable(
      Type.String({
        description:
          'Why a mail that was due was not sent: `template_failed` holds the lead back until its ' +
          "values or the campaign's `sequences` are changed, `message_refused` until it is set to `active`; " +
          '`expired` and `suppressed` end it. What exactly was wrong follows after a colon. ' +
          'Null where a lead that is `paused` was paused by a person.',
        examples: ['template_failed: The lead has no city, and the template gives no default.'],
      }),
    ),
    current_step: Type.Integer({ description: '0 before the first send.' }),
    last_contacted_from: NullableText,
    email_open_count: Type.Integer(),
    email_click_count: Type.Integer(),
    email_reply_count: Type.Integer(),
    timestamp_last_contact: NullableTime,
    timestamp_last_open: NullableTime,
    timestamp_last_reply: NullableTime,
    timestamp_next_send: NullableTime,
    workspace_id: Uuid,
    timestamp_created: Timestamp,
    timestamp_updated: Timestamp,
  },
  {
    $id: 'Lead',
    description: 'A person in a campaign.',
    examples: [leadExample],
  },
)

export type LeadInput = Static<typeof LeadInput>
export type AddLeads = Static<typeof AddLeads>
export type AddedLeads = Static<typeof AddedLeads>
export type LeadLookup = Static<typeof LeadLookup>
export type LeadStatusInput = Static<typeof LeadStatusInput>
export type Lead = Static<typeof Lead>
export type RowSkipReason = (typeof skipReasons)[number]
