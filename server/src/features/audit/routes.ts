import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { instantOf } from '../../kernel/http/instant.ts'
import { pageRequest } from '../../kernel/http/page.ts'
import { Nullable, Page, pageQuery, ref, Timestamp, Uuid } from '../../kernel/http/schema.ts'
import { listAudit } from './audit.ts'

const actorTypes = ['user', 'key', 'operator', 'service']

const AuditEntry = Type.Object(
  {
    id: Uuid,
    actor_type: Type.String({ description: 'user, key, operator or service.' }),
    actor_id: Nullable(Uuid),
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

const AuditEntryPage = Page(AuditEntry)

export const auditSchemas = [AuditEntry, AuditEntryPage]

const time = (description: string) =>
  Type.String({ maxLength: 40, 'x-document': { format: 'date-time' }, description })

const filters = {
  action: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Whole, or a beginning with its dot: `key.` is every action on keys.',
    }),
  ),
  actor_type: Type.Optional(Type.Enum(actorTypes, { description: 'Who did it.' })),
  actor_id: Type.Optional(Type.Unsafe<string>({ ...Uuid, description: 'Of a person or a key.' })),
  subject_id: Type.Optional(Type.Unsafe<string>({ ...Uuid, description: 'About this record.' })),
  from: Type.Optional(time('Not before this, ISO 8601.')),
  to: Type.Optional(time('Before this, ISO 8601.')),
}

export const auditRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/audit',
    {
      config: { access: { scopes: [], role: 'admin' } },
      schema: {
        operationId: 'listAudit',
        summary: 'Who changed what',
        description: 'Newest first.',
        tags: ['Workspace'],
        querystring: Type.Object({ ...pageQuery, ...filters }),
        response: { 200: ref(AuditEntryPage) },
      },
    },
    ({ ctx, caller, query }) =>
      listAudit(ctx, caller.workspaceId, pageRequest(query), {
        ...{ action: query.action, actorType: query.actor_type },
        ...{ actorId: query.actor_id, subjectId: query.subject_id },
        ...{ from: instantOf('from', query.from), to: instantOf('to', query.to) },
      }),
  )
}
