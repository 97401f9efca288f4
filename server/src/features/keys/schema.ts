import { type Static, Type } from 'typebox'
import { Name, Nullable, Page, Timestamp, Uuid } from '../../kernel/http/schema.ts'
import { scopePattern } from './scopes.ts'

const Scopes = Type.Array(Type.String({ maxLength: 64, 'x-document': { pattern: scopePattern } }), {
  minItems: 1,
  maxItems: 100,
  'x-document': { uniqueItems: true },
})

export const KeyInput = Type.Object(
  {
    name: Name,
    scopes: Scopes,
    timestamp_expires: Type.Optional(
      Type.String({
        maxLength: 40,
        'x-document': { format: 'date-time' },
        description: 'ISO 8601, in the future.',
      }),
    ),
  },
  {
    $id: 'ServiceAccountKeyInput',
    description: 'A key to create.',
    additionalProperties: false,
    examples: [{ name: 'crm-sync', scopes: ['campaigns:read', 'leads:create'] }],
  },
)

const fields = {
  id: Uuid,
  name: Type.String(),
  scopes: Type.Array(Type.String()),
  key_prefix: Type.String({ description: 'The first characters of the key; safe to show.' }),
  workspace_id: Uuid,
  status: Type.Enum(['active', 'expired', 'revoked']),
  timestamp_created: Timestamp,
  timestamp_updated: Timestamp,
  timestamp_last_used: Nullable(Timestamp),
  timestamp_expires: Nullable(Timestamp),
  timestamp_revoked: Nullable(Timestamp),
  created_by: Type.Object({
    type: Type.Enum(['user', 'key', 'operator']),
    id: Nullable(Uuid),
  }),
}

const example = {
  id: '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d',
  name: 'crm-sync',
  scopes: ['campaigns:read', 'leads:create'],
  key_prefix: 'ork_4fGk92Lq',
  workspace_id: '019a9d5e-0000-7c31-9d0a-5e1f6a2b3c4d',
  status: 'active',
  timestamp_created: '2026-11-20T09:37:00.123Z',
  timestamp_updated: '2026-11-20T09:37:00.123Z',
  timestamp_last_used: null,
  timestamp_expires: null,
  timestamp_revoked: null,
  created_by: { type: 'operator', id: null },
}

export const Key = Type.Object(fields, {
  $id: 'ServiceAccountKey',
  description: 'A key without its secret.',
  examples: [example],
})

export const CreatedKey = Type.Object(
  {
    ...fields,
    key: Nullable(
      Type.String({
        description: 'The full secret, shown once; null when an idempotent request is replayed.',
      }),
    ),
  },
  {
    $id: 'CreatedServiceAccountKey',
    description: 'A key with its secret, which is in this answer only.',
    examples: [{ ...example, key: 'ork_4fGk92Lq…' }],
  },
)

export const KeyPage = Page(Key)

export type KeyInput = Static<typeof KeyInput>
export type Key = Static<typeof Key>
