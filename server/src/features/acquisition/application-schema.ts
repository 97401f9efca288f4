import { type Static, Type } from 'typebox'
import { Nullable, Page, Timestamp, Uuid } from '../../kernel/http/schema.ts'

export const CreditEntry = Type.Object(
  {
    id: Uuid,
    kind: Type.Enum(['grant', 'charge', 'refund', 'expiry']),
    amount: Type.Integer({ description: 'Negative when credits went.' }),
    reason: Nullable(Type.String()),
    request_id: Nullable(Type.String()),
    contact_id: Nullable(Uuid),
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
  },
  {
    $id: 'AddedContacts',
    description: 'What became of each contact.',
    examples: [
      {
        ...{ contacts: 12, leads_uploaded: 9, already_in_campaign: 2 },
        ...{ in_blocklist: 1, opted_out: 0 },
      },
    ],
  },
)

export type AddAcquired = Static<typeof AddAcquired>
export type AddedContacts = Static<typeof AddedContacts>
