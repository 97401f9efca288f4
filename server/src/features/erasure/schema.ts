import { type Static, Type } from 'typebox'
import { Nullable, Page, Timestamp, Uuid } from '../../kernel/http/schema.ts'

export const nothing = {
  ...{ leads: 0, messages: 0, conversations: 0, answers_by_hand: 0, events: 0 },
  ...{ delivery_attempts: 0, kept_answers: 0, acquired_contacts: 0 },
}

/** How many records of each kind a person was taken out of. */
export type ErasedHere = typeof nothing

const counts = Object.fromEntries(Object.keys(nothing).map((kind) => [kind, Type.Integer()])) as {
  [Kind in keyof ErasedHere]: ReturnType<typeof Type.Integer>
}

export const Erasure = Type.Object(
  {
    id: Uuid,
    state: Type.Enum(['running', 'waiting', 'finished'], {
      description:
        'waiting: for a mail to the person, or an answer that names them, that is being sent; it goes on by itself.',
    }),
    lead_ids: Type.Array(Uuid, { description: 'The leads that were the person.' }),
    looked_at: Type.Integer({ description: 'Records, so far.' }),
    erased: Type.Object(counts, {
      description: 'How many records of each kind the person was taken out of.',
    }),
    error: Nullable(
      Type.String({
        description: 'Why the last step failed; it is tried again until it succeeds.',
      }),
    ),
    timestamp_created: Timestamp,
    timestamp_updated: Timestamp,
  },
  {
    $id: 'Erasure',
    description: 'A person who is being taken out of the workspace.',
    examples: [
      {
        ...{ id: '019a6e9f-7f6c-7d4e-9d8a-2f6f5a9b3c1d', state: 'running' },
        lead_ids: ['019a6e9f-7f6c-7d4e-9d8a-2f6f5a9b3c1e'],
        ...{ looked_at: 12_500, erased: { ...nothing, leads: 1, messages: 4 }, error: null },
        timestamp_created: '2026-03-02T09:00:00.000Z',
        timestamp_updated: '2026-03-02T09:00:01.000Z',
      },
    ],
  },
)

export const ErasurePage = Page(Erasure)

export type Erasure = Static<typeof Erasure>
