import { type Static, Type } from 'typebox'
import { Name, Nullable, Page, Timestamp, Uuid } from '../../kernel/http/schema.ts'
import { shownFields } from '../directory/index.ts'

const NullableText = Nullable(Type.String())
const NullableCount = Nullable(Type.Integer())

export const credits = {
  credits_charged: Type.Integer({ description: 'What this request cost; 0 included.' }),
  balance: Type.Integer({ description: 'Credits left, after this request.' }),
}

const contactId = '019a9d5e-a001-7c31-9d0a-5e1f6a2b3c4d'
const companyId = '019a9d5e-b001-7c31-9d0a-5e1f6a2b3c4d'
const listId = '019a9d5e-c001-7c31-9d0a-5e1f6a2b3c4d'

/** What the record of a contact says, without its address. */
export const contactFields = {
  contact_id: Uuid,
  ...shownFields,
}

export const contactExample = {
  contact_id: contactId,
  first_name: 'Ada',
  last_name: 'Lovelace',
  title: 'Head of Analytics',
  seniority: 'head',
  department: 'engineering',
  company: {
    company_id: companyId,
    name: 'Example Ltd',
    domain: 'example.com',
    industry: 'software',
    employee_count: 120,
  },
  city: 'London',
  country: 'United Kingdom',
}

export const AcquireEmail = Type.Object(
  {
    contact_id: Uuid,
    list_id: Type.Optional(
      Type.Unsafe<string>({ ...Uuid, description: 'Of the list that the contact is put into.' }),
    ),
    list_name: Type.Optional(
      Type.Unsafe<string>({
        ...Name,
        description: 'Instead of `list_id`; the list is made when there is none of this name.',
      }),
    ),
  },
  {
    $id: 'AcquireEmail',
    additionalProperties: false,
    'x-document': { not: { required: ['list_id', 'list_name'] } },
    description: 'Whose address is asked for, and the list the contact is put into.',
    examples: [{ contact_id: contactId, list_name: 'Founders in London' }],
  },
)

export const emailStatuses = ['verified', 'likely', 'unknown'] as const

const EmailStatus = Type.Enum([...emailStatuses], {
  description: '`likely`: proposed from how addresses of the company are made.',
})

const Confidence = Nullable(
  Type.Number({ description: '0 to 1, of an address that was proposed; else null.' }),
)

export const AcquiredEmail = Type.Object(
  {
    contact_id: Uuid,
    status: Type.Enum(['acquired', 'not_found']),
    email: NullableText,
    email_status: Nullable(EmailStatus),
    confidence: Confidence,
    list_id: Nullable(
      Type.Unsafe<string>({ ...Uuid, description: 'The list that the contact was put into.' }),
    ),
    ...credits,
  },
  {
    $id: 'AcquiredEmail',
    description: 'The address, or that there is none to be found, and what it cost.',
    examples: [
      {
        contact_id: contactId,
        status: 'acquired',
        email: 'ada@example.com',
        email_status: 'verified',
        confidence: null,
        list_id: listId,
        credits_charged: 1,
        balance: 999,
      },
      {
        contact_id: contactId,
        status: 'not_found',
        email: null,
        email_status: null,
        confidence: null,
        list_id: null,
        credits_charged: 0,
        balance: 1000,
      },
    ],
  },
)

export const Balance = Type.Object(
  {
    balance: credits.balance,
    granted: Type.Integer({
      description: 'Granted in this period, with what was carried into it.',
    }),
    used: Type.Integer({ description: 'Charged in this period, less refunds.' }),
    period_start: Timestamp,
    period_end: Nullable(
      Type.Unsafe<Date>({
        ...Timestamp,
        description: 'When monthly credits that are left expire; null without monthly credits.',
      }),
    ),
    costs: Type.Object(
      { find: Type.Integer(), acquire_email: Type.Integer() },
      { description: 'Credits; an address costs only when one is found.' },
    ),
  },
  {
    $id: 'AcquisitionBalance',
    description: '`balance` is `granted` less `used`.',
    examples: [
      {
        balance: 940,
        granted: 1000,
        used: 60,
        period_start: '2026-11-20T09:37:00.123Z',
        period_end: null,
        costs: { find: 0, acquire_email: 1 },
      },
    ],
  },
)

export const AcquireList = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    lead_count: Type.Integer(),
    timestamp_created: Timestamp,
  },
  {
    $id: 'AcquireList',
    description: 'A list of acquired contacts.',
    examples: [
      {
        id: listId,
        name: 'Founders in London',
        lead_count: 12,
        timestamp_created: '2026-11-20T09:37:00.123Z',
      },
    ],
  },
)

export const AcquireListPage = { ...Page(AcquireList), $id: 'AcquireLists' }

const addressFields = {
  email: NullableText,
  email_status: Nullable(EmailStatus),
  confidence: Confidence,
}

const addressExample = { email: 'ada@example.com', email_status: 'verified', confidence: null }

/** Of the event `contact.acquired`. */
export const RevealedContact = Type.Object(
  { ...contactFields, linkedin_url: NullableText, ...addressFields },
  {
    $id: 'RevealedContact',
    description: 'A contact with its address, as it was when it was acquired.',
    examples: [{ ...contactExample, linkedin_url: null, ...addressExample }],
  },
)

export const AcquiredContact = Type.Object(
  {
    id: Type.Unsafe<string>({ ...Uuid, description: 'Of the entry in the list.' }),
    ...contactFields,
    linkedin_url: NullableText,
    ...addressFields,
    opted_out: Type.Boolean({
      description:
        'The person asked to be removed: nothing is shown of them any more, and nobody may write to them.',
    }),
    timestamp_created: Timestamp,
  },
  {
    $id: 'AcquiredContact',
    description: 'A contact in a list, as it was when it was acquired.',
    examples: [
      {
        id: '019a9d5e-d001-7c31-9d0a-5e1f6a2b3c4d',
        ...contactExample,
        linkedin_url: null,
        ...addressExample,
        opted_out: false,
        timestamp_created: '2026-11-20T09:37:00.123Z',
      },
    ],
  },
)

export const AcquiredContactPage = Page(AcquiredContact)

export const AcquiredCompany = Type.Object(
  {
    id: Uuid,
    company_id: Type.Unsafe<string>({ ...Uuid, description: 'Equals `id`.' }),
    name: NullableText,
    domain: NullableText,
    website: NullableText,
    industry: NullableText,
    employee_count: NullableCount,
    revenue_range: NullableText,
    founded_year: NullableCount,
    description: NullableText,
    technologies: Type.Array(Type.String()),
    city: NullableText,
    country: NullableText,
    linkedin_url: NullableText,
    acquired_contacts: Type.Integer({
      description: 'How many people of the company the workspace acquired.',
    }),
  },
  {
    $id: 'AcquiredCompany',
    description: 'A company of which the workspace acquired somebody, as the directory has it.',
    examples: [
      {
        id: companyId,
        company_id: companyId,
        name: 'Example Ltd',
        domain: 'example.com',
        website: 'https://example.com',
        industry: 'software',
        employee_count: 120,
        revenue_range: '10M-50M',
        founded_year: 2009,
        description: 'Makes examples.',
        technologies: ['postgresql', 'typescript'],
        city: 'London',
        country: 'United Kingdom',
        linkedin_url: null,
        acquired_contacts: 3,
      },
    ],
  },
)

export type AcquireEmail = Static<typeof AcquireEmail>
export type AcquiredEmail = Static<typeof AcquiredEmail>
export type AcquiredContact = Static<typeof AcquiredContact>
export type AcquiredCompany = Static<typeof AcquiredCompany>
export type AcquireList = Static<typeof AcquireList>
export type Balance = Static<typeof Balance>
export type EmailStatus = (typeof emailStatuses)[number]
