import { type Static, Type } from 'typebox'
import { Nullable, Timestamp, Uuid } from '../../kernel/http/schema.ts'

export const AuditEntry = Type.Object(
  {
    id: Uuid,
    actor_type: Type.String({ description: 'user, key, operator or service.' }),
    actor_id: Nullable(Uuid),
    actor_name: Nullable(
      Type.String({ description: 'Of a person or a key, also where it was removed or revoked.' }),
    ),
    action: Type.String({ description: 'As key.revoked.' }),
    subject_type: Type.String(),
    subject_id: Nullable(Uuid),
    request_id: Nullable(Type.String()),
    details: Type.Unsafe<unknown>({ type: 'object', additionalProperties: true }),
    timestamp_created: Timestamp,
  },
  {
    $id: 'AuditEntry',
    description: 'Who changed what, and when.',
    examples: [
      {
        id: '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d',
        actor_type: 'user',
        actor_id: '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d',
        actor_name: 'Ann Example',
        action: 'key.revoked',
        subject_type: 'key',
        subject_id: '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d',
        request_id: null,
        details: {},
        timestamp_created: '2026-11-20T09:37:00.123Z',
      },
    ],
  },
)

export type AuditEntry = Static<typeof AuditEntry>
