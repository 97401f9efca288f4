import { type Static, Type } from 'typebox'
import { Nullable, ref, Timestamp, Uuid } from '../../kernel/http/schema.ts'
import { type SuppressionReason, suppressionReasons } from './entry.ts'

const entry = { kind: 'address', value: 'ann@example.com', reason: 'unsubscribed' }
export const Kind = Type.Enum(['address', 'domain'])
export const Reason = Type.Enum(suppressionReasons)

const Suppression = Type.Object(
  {
    kind: Kind,
    value: Type.String(),
    reason: Reason,
    campaign_id: Nullable(Uuid),
    timestamp_created: Timestamp,
  },
  {
    $id: 'Suppression',
    description: 'An address or a domain that nobody in the workspace writes to.',
    examples: [{ ...entry, campaign_id: null, timestamp_created: '2026-11-20T09:37:00.123Z' }],
  },
)

export const SuppressionPage = Type.Object(
  {
    items: Type.Array(ref(Suppression)),
    next_starting_after: Type.Optional(Type.String()),
  },
  { $id: 'SuppressionList', description: 'Addresses before domains, each by the alphabet.' },
)

export const SuppressionCounts = Type.Object(
  {
    counts: Type.Array(Type.Object({ kind: Kind, reason: Reason, count: Type.Integer() })),
  },
  { $id: 'SuppressionCounts', description: 'How many entries there are of each kind and reason.' },
)

export const StillSuppressed = {
  still_suppressed: Nullable(
    Type.Enum(suppressionReasons, {
      description:
        'Why nobody writes to it all the same: there is another entry, or the person was erased or asked to be removed.',
    }),
  ),
  still_suppressed_by: Nullable(
    Type.Enum(['address', 'domain', 'erased', 'opt-out'], { description: 'What says so.' }),
  ),
}

const Value = Type.String({
  minLength: 1,
  maxLength: 320,
  'x-trim': true,
  description: 'An e-mail address, or a domain for everybody there.',
})

export const Since = Type.String({
  maxLength: 40,
  'x-document': { format: 'date-time' },
  description: 'When the entry was made that was seen: one that was made at another time stays.',
})

export const SuppressionInput = Type.Object(
  { value: Value },
  {
    $id: 'SuppressionInput',
    description: 'Whom nobody writes to from now on.',
    additionalProperties: false,
    examples: [{ value: 'competitor.example' }],
  },
)

export const SuppressionLift = Type.Object(
  {
    value: Value,
    force: Type.Optional(
      Type.Boolean({ description: 'Also an unsubscribe or a hard bounce.', default: false }),
    ),
    reason: Type.Optional(
      Type.Unsafe<SuppressionReason>({
        ...Reason,
        description: 'As the entry was seen: one that has another by now stays.',
      }),
    ),
    since: Type.Optional(Since),
  },
  {
    $id: 'SuppressionLift',
    description: 'Who may be written to again.',
    additionalProperties: false,
    examples: [{ value: 'blocked@example.com', force: false }],
  },
)

export const ChangedSuppression = Type.Object(
  { kind: Kind, value: Type.String(), reason: Reason },
  {
    $id: 'ChangedSuppression',
    description: 'The entry, with the reason that holds; a stronger one stays.',
    examples: [entry],
  },
)

export const LiftedSuppression = Type.Object(
  { kind: Kind, value: Type.String(), reason: Reason, ...StillSuppressed },
  {
    $id: 'LiftedSuppression',
    description: 'What the entry was, and what else keeps everybody from writing to it.',
    examples: [{ ...entry, still_suppressed: null, still_suppressed_by: null }],
  },
)

export const suppressionSchemas = [
  ...[Suppression, SuppressionPage, SuppressionCounts, SuppressionInput],
  ...[SuppressionLift, ChangedSuppression, LiftedSuppression],
]

export type LiftedSuppression = Static<typeof LiftedSuppression>
