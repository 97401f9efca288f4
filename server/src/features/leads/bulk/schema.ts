import { type Static, Type } from 'typebox'
import { Nullable, Page, Timestamp, Uuid } from '../../../kernel/http/schema.ts'
import { LeadFilters } from '../lists/list-schema.ts'

/** As many are changed by the request itself; more by a runner. */
export const atOnceMax = 1000

const bulkActions = ['set_status', 'pause', 'resume', 'unsubscribe', 'move', 'delete'] as const

export const BulkChange = Type.Object(
  {
    action: Type.Enum([...bulkActions]),
    status: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: 'With `set_status`: the new one.' }),
    ),
    to_campaign_id: Type.Optional(
      Type.Unsafe<string>({ ...Uuid, description: 'With `move`: where they go.' }),
    ),
    ids: Type.Optional(Type.Array(Uuid, { maxItems: 10_000 })),
    filter: Type.Optional(LeadFilters),
    excluded: Type.Optional(
      Type.Array(Uuid, { maxItems: 10_000, description: 'With `filter`: all but these.' }),
    ),
  },
  {
    $id: 'BulkChange',
    description: 'What is done to which leads: to those named, or to all that a filter matches.',
    additionalProperties: false,
    examples: [{ action: 'pause', ids: ['019a9d5e-8a10-7c31-9d0a-5e1f6a2b3c4d'] }],
  },
)

export const LeadJob = Type.Object(
  {
    id: Uuid,
    user_id: Type.Unsafe<string>({ ...Uuid, description: 'Who began it.' }),
    action: Type.Enum([...bulkActions]),
    state: Type.Enum(['running', 'finished', 'cancelled', 'failed']),
    total: Type.Integer(),
    looked_at: Type.Integer(),
    changed: Type.Integer({
      description: 'The others that were looked at are so already, or refused.',
    }),
    refused: Type.Integer(),
    refusals: Type.Array(
      Type.Object({ lead_id: Uuid, email: Nullable(Type.String()), reason: Type.String() }),
      { description: `The first ${atOnceMax}; a list of changes names none.` },
    ),
    can_undo: Type.Boolean(),
    error: Nullable(Type.String()),
    timestamp_created: Timestamp,
    timestamp_updated: Timestamp,
  },
  {
    $id: 'LeadJob',
    description: 'What became of a change of many leads, or how far it is.',
    examples: [
      {
        id: '019a9d5e-8a10-7c31-9d0a-5e1f6a2b3c4d',
        user_id: '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d',
        ...{ action: 'pause', state: 'finished', total: 2, looked_at: 2, changed: 1, refused: 1 },
        refusals: [
          {
            lead_id: '019a9d5e-8a10-7c31-9d0a-5e1f6a2b3c4d',
            email: 'ann@example.com',
            reason: 'The lead is finished; only one that is still sent to can be paused.',
          },
        ],
        ...{ can_undo: true, error: null },
        timestamp_created: '2026-11-20T09:37:00.123Z',
        timestamp_updated: '2026-11-20T09:37:00.123Z',
      },
    ],
  },
)

export const LeadJobPage = Page(LeadJob)

export type BulkChange = Static<typeof BulkChange>
export type LeadJob = Static<typeof LeadJob>
export type BulkAction = (typeof bulkActions)[number]
