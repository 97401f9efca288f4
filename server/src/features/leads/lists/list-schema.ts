import { type Static, Type } from 'typebox'
import { Nullable, Page, Timestamp, Uuid } from '../../../kernel/http/schema.ts'
import { Lead, textMembers, variableTextMax } from '../schema.ts'

const time = (description: string) =>
  Type.Optional(Type.String({ maxLength: 40, 'x-document': { format: 'date-time' }, description }))

/** All that are given must hold. */
export const leadFilters = {
  campaign_id: Type.Optional(Type.Unsafe<string>({ ...Uuid, description: 'In this campaign.' })),
  label_id: Type.Optional(Type.Unsafe<string>({ ...Uuid, description: 'With this label.' })),
  status: Type.Optional(
    Type.String({ maxLength: 2000, description: 'One of these, parted by commas.' }),
  ),
  sending_state: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'One of these, parted by commas; `held_back` are the `paused` ones that no person has paused.',
    }),
  ),
  search: Type.Optional(
    Type.String({ maxLength: 200, description: 'A part of address, names or company.' }),
  ),
  added_from: time('Added at this instant or later, ISO 8601.'),
  added_to: time('Added before it.'),
  contacted_from: time('Last written to at this instant or later.'),
  contacted_to: time('Last written to before it.'),
}

export const LeadFilters = Type.Object(leadFilters, { additionalProperties: false })

const { properties } = Lead

export const ListedLead = Type.Object(
  {
    id: Uuid,
    campaign_id: Uuid,
    email: properties.email,
    first_name: properties.first_name,
    last_name: properties.last_name,
    company_name: properties.company_name,
    job_title: properties.job_title,
    status: properties.status,
    label_id: Nullable(Uuid),
    sending_state: properties.sending_state,
    is_suppressed: Type.Boolean({
      description: 'Nobody may write to it: a lead that is sent to is stopped once it is due.',
    }),
    stop_reason: properties.stop_reason,
    skip_reason: properties.skip_reason,
    current_step: properties.current_step,
    email_open_count: properties.email_open_count,
    email_click_count: properties.email_click_count,
    email_reply_count: properties.email_reply_count,
    timestamp_last_contact: properties.timestamp_last_contact,
    timestamp_next_send: properties.timestamp_next_send,
    timestamp_created: Timestamp,
  },
  {
    $id: 'ListedLead',
    description: 'A lead as lists show it.',
    examples: [
      {
        id: '019a9d5e-8a10-7c31-9d0a-5e1f6a2b3c4d',
        campaign_id: '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d',
        ...{ email: 'ann@example.com', first_name: 'Ann', last_name: null },
        ...{ company_name: 'Example Ltd', job_title: null, status: 'contacted', label_id: null },
        ...{
          sending_state: 'active',
          is_suppressed: false,
          stop_reason: null,
          skip_reason: null,
          current_step: 1,
        },
        ...{ email_open_count: 1, email_click_count: 0, email_reply_count: 0 },
        timestamp_last_contact: '2026-11-19T09:00:12.004Z',
        timestamp_next_send: '2026-11-22T09:00:00.000Z',
        timestamp_created: '2026-11-18T08:00:00.000Z',
      },
    ],
  },
)

export const ListedLeadPage = Page(ListedLead)

export const LeadCount = Type.Object(
  {
    count: Type.Integer({ description: 'How many leads the filters match.' }),
    is_estimate: Type.Boolean({ description: 'There are at least as many.' }),
  },
  {
    $id: 'LeadCount',
    description: 'Exact up to 10,000, and for all leads or all of a campaign.',
    examples: [{ count: 812, is_estimate: false }],
  },
)

const TextChange = (maxLength: number) =>
  Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength, 'x-trim': true }))

export const LeadChanges = Type.Object(
  {
    ...textMembers(TextChange),
    custom_variables: Type.Optional(
      Type.Unsafe<Record<string, string | number | boolean | null>>({
        type: 'object',
        additionalProperties: {
          type: ['string', 'number', 'boolean', 'null'],
          maxLength: variableTextMax,
        },
        description: 'Those that change; null removes one.',
      }),
    ),
  },
  {
    $id: 'LeadChanges',
    description: 'What is to be another; null or an empty text empties a field.',
    additionalProperties: false,
    examples: [{ first_name: 'Anna', job_title: null }],
  },
)

export type LeadFilters = Static<typeof LeadFilters>
export type ListedLead = Static<typeof ListedLead>
export type LeadCount = Static<typeof LeadCount>
export type LeadChanges = Static<typeof LeadChanges>
