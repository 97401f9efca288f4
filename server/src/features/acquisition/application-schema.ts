import { type Static, Type } from 'typebox'
import { Nullable, Page, Timestamp, Uuid } from '../../kernel/http/schema.ts'
import { directoryFilters } from '../directory/index.ts'
import { FindContacts } from './find-schema.ts'

export const CreditEntry = Type.Object(
  {
    id: Uuid,
    kind: Type.Enum(['grant', 'charge', 'refund', 'expiry']),
    amount: Type.Integer({ description: 'Negative when credits went.' }),
    reason: Nullable(Type.String()),
    request_id: Nullable(Type.String()),
    contact_id: Nullable(Uuid),
    email: Nullable(
      Type.String({
        description:
          'Of the contact; null when they were erased or asked to be removed, and where there is none.',
      }),
    ),
    timestamp_created: Timestamp,
  },
  {
    $id: 'CreditEntry',
    description: 'One entry of the ledger: the balance is their sum.',
    examples: [
      {
        id: '019a9d5e-e001-7c31-9d0a-5e1f6a2b3c4d',
        kind: 'charge',
        amount: -1,
        reason: null,
        request_id: 'req-1',
        contact_id: '019a9d5e-a001-7c31-9d0a-5e1f6a2b3c4d',
        email: 'ada@analytical.example',
        timestamp_created: '2026-11-20T09:37:00.123Z',
      },
    ],
  },
)

export const CreditEntryPage = { ...Page(CreditEntry), $id: 'CreditEntries' }

export const AddAcquired = Type.Object(
  {
    list_id: Type.Optional(Uuid),
    contact_ids: Type.Optional(
      Type.Array(Uuid, { minItems: 1, maxItems: 1000, description: 'Instead of `list_id`.' }),
    ),
  },
  {
    $id: 'AddAcquired',
    additionalProperties: false,
    description: 'All contacts of a list, or some that were acquired.',
    examples: [{ list_id: '019a9d5e-c001-7c31-9d0a-5e1f6a2b3c4d' }],
  },
)

export const AddedContacts = Type.Object(
  {
    contacts: Type.Integer({ description: 'The sum of the others.' }),
    leads_uploaded: Type.Integer(),
    already_in_campaign: Type.Integer(),
    in_blocklist: Type.Integer({ description: 'Blocked, unsubscribed or bounced.' }),
    opted_out: Type.Integer({ description: 'Asked to be removed from the directory.' }),
    not_added: Type.Integer({
      description: 'Left when the plan had no room for the next thousand of them.',
    }),
  },
  {
    $id: 'AddedContacts',
    description: 'What became of each contact.',
    examples: [
      {
        ...{ contacts: 12, leads_uploaded: 9, already_in_campaign: 2 },
        ...{ in_blocklist: 1, opted_out: 0, not_added: 0 },
      },
    ],
  },
)

export const CountFacets = Type.Object(
  { ...directoryFilters, exclude_acquired: FindContacts.properties.exclude_acquired },
  {
    $id: 'CountFacets',
    additionalProperties: false,
    description: 'A search, as `findContacts` takes it.',
    examples: [{ query: 'analytics', countries: ['Germany'], has_email: true }],
  },
)

const Facet = (description: string) =>
  Type.Object(
    {
      values: Type.Array(Type.Object({ value: Type.String(), contacts: Type.Integer() })),
      is_estimate: Type.Boolean({ description: 'Reckoned from some of the contacts.' }),
    },
    { description },
  )

const facetExample = { values: [{ value: 'director', contacts: 12 }], is_estimate: false }
const noValues = { values: [], is_estimate: false }

export const ContactFacets = Type.Object(
  {
    seniorities: Facet('In lower case, without punctuation.'),
    industries: Facet('In lower case, without punctuation.'),
    countries: Facet('Codes of two letters; else as the directory writes them, in lower case.'),
    employee_count: Facet('Where a range begins that ends before the next.'),
  },
  {
    $id: 'ContactFacets',
    description:
      'How many contacts each value would give, the most frequent 50. What a filter itself asks for does not narrow its own values.',
    examples: [
      {
        ...{ seniorities: facetExample, industries: noValues, countries: noValues },
        employee_count: { values: [{ value: '51', contacts: 12 }], is_estimate: false },
      },
    ],
  },
)

export type CreditEntry = Static<typeof CreditEntry>
export type CountFacets = Static<typeof CountFacets>
export type AddAcquired = Static<typeof AddAcquired>
export type AddedContacts = Static<typeof AddedContacts>
