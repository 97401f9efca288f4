import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { asAdmin } from '../../kernel/http/access.ts'
import { csvAnswer, csvFile, workspaceInQuery } from '../../kernel/http/csv-file.ts'
import { instantOf } from '../../kernel/http/instant.ts'
import { pageRequest } from '../../kernel/http/page.ts'
import { Page, pageQuery, ref, Uuid } from '../../kernel/http/schema.ts'
import { listAudit } from './audit.ts'
import { exportAudit } from './export-csv.ts'
import type { AuditFilter } from './queries.ts'
import { AuditEntry } from './schema.ts'

const actorTypes = ['user', 'key', 'operator', 'service']

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
        querystring: Type.Object({ ...filters, ...workspaceInQuery }),
        response: csvAnswer,
      },
    },
    async ({ ctx, caller, query }, reply) => {
      const pieces = exportAudit(ctx, caller.workspaceId, filterOf(query))
      const day = ctx.now().toISOString().slice(0, 10)
      return csvFile(reply, `audit-log-${day}`, pieces)
    },
  )
}

const Filters = Type.Object(filters)

const filterOf = (query: Static<typeof Filters>): AuditFilter => ({
  ...{ action: query.action, actorType: query.actor_type },
  ...{ actorId: query.actor_id, subjectId: query.subject_id },
  ...{ from: instantOf('from', query.from), to: instantOf('to', query.to) },
})
