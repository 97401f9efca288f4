import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { instantOf } from '../../kernel/http/instant.ts'
import { pageRequest } from '../../kernel/http/page.ts'
import { Nullable, Page, pageQuery, ref, Timestamp, Uuid } from '../../kernel/http/schema.ts'
import { listAudit } from './audit.ts'
import { exportAudit } from './export-csv.ts'
import type { AuditFilter } from './queries.ts'

const actorTypes = ['user', 'key', 'operator', 'service']

const AuditEntry = Type.Object(
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

const tags = ['Workspace']
const asAdmin = { access: { scopes: [], role: 'admin' as const } }

export const auditRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/audit',
    {
      config: asAdmin,
      schema: {
        operationId: 'listAudit',
        summary: 'Who changed what',
        description: 'Newest first.',
        tags,
        querystring: Type.Object({ ...pageQuery, ...filters }),
        response: { 200: ref(AuditEntryPage) },
      },
    },
    ({ ctx, caller, query }) =>
      listAudit(ctx, caller.workspaceId, pageRequest(query), filterOf(query)),
  )

  app.get(
    '/audit/export.csv',
    {
      config: asAdmin,
      schema: {
        operationId: 'exportAudit',
        summary: 'Download the audit log',
        description: 'What the filters match, as CSV with the names of people and keys.',
        tags,
        querystring: Type.Object({
          ...filters,
          workspace: Type.Optional(Type.String({ description: 'In place of X-Workspace-ID.' })),
        }),
        response: { 200: { content: { 'text/csv': { schema: Type.String() } } } },
      },
    },
    async ({ ctx, caller, query }, reply) => {
      const pieces = exportAudit(ctx, caller.workspaceId, filterOf(query))
      const day = ctx.now().toISOString().slice(0, 10)
      reply.header('content-disposition', `attachment; filename="audit-log-${day}.csv"`)
      reply.type('text/csv; charset=utf-8')
      // A stream, which no serialiser looks at.
      return reply.send(Readable.from(pieces) as never)
    },
  )
}

const Filters = Type.Object(filters)

const filterOf = (query: Static<typeof Filters>): AuditFilter => ({
  ...{ action: query.action, actorType: query.actor_type },
  ...{ actorId: query.actor_id, subjectId: query.subject_id },
  ...{ from: instantOf('from', query.from), to: instantOf('to', query.to) },
})
