import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { invalidField } from '../../kernel/errors.ts'
import { asMember, asViewer } from '../../kernel/http/access.ts'
import { csvAnswer, csvFile, workspaceInQuery } from '../../kernel/http/csv-file.ts'
import { pageRequest } from '../../kernel/http/page.ts'
import { pageQuery, ref, Uuid } from '../../kernel/http/schema.ts'
import { parseUuid } from '../../kernel/ids.ts'
import { changedBy } from '../audit/index.ts'
import { cancelJob, changeMany, getJob, listJobs, undoJob } from './bulk/jobs.ts'
import { atOnceMax, BulkChange, LeadJob, LeadJobPage } from './bulk/schema.ts'
import { beginExport } from './lists/export-csv.ts'
import { readFilter } from './lists/filter.ts'
import { countLeads, listLeads } from './lists/list-leads.ts'
import {
  LeadChanges,
  LeadCount,
  LeadFilters,
  ListedLead,
  ListedLeadPage,
  leadFilters,
} from './lists/list-schema.ts'
import { Lead } from './schema.ts'
import { updateLead } from './update-lead.ts'

export const leadApplicationSchemas = [
  ...[ListedLead, ListedLeadPage, LeadCount, LeadChanges],
  ...[BulkChange, LeadJob, LeadJobPage],
]

const tags = ['Leads']
const params = Type.Object({ id: Uuid })

/** In an address, which has no room for more. */
const idList = (description: string) => Type.String({ maxLength: 12_000, description })

function readIds(name: string, text: string): string[] {
  const ids = text
    .split(',')
    .flatMap((part) => (part.trim() === '' ? [] : [parseUuid(part.trim())]))
  if (ids.every((id) => id !== undefined)) return ids
  throw invalidField(`/${name}`, `${name} must be ids of leads, parted by commas`)
}

/** Lists of leads, and what people correct by hand. */
export const leadApplicationRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/leads',
    {
      config: asViewer,
      schema: {
        operationId: 'listLeads',
        summary: 'List leads',
        description: 'Newest first, over all campaigns or of one.',
        tags,
        querystring: Type.Object({ ...pageQuery, ...leadFilters }),
        response: { 200: ref(ListedLeadPage) },
      },
    },
    ({ ctx, caller, query }) =>
      listLeads(ctx, caller.workspaceId, readFilter(query), pageRequest(query)),
  )

  app.get(
    '/leads/count',
    {
      config: asViewer,
      schema: {
        operationId: 'countLeads',
        summary: 'Count leads',
        description: 'How many leads the same filters match.',
        tags,
        querystring: LeadFilters,
        response: { 200: ref(LeadCount) },
      },
    },
    ({ ctx, caller, query }) => countLeads(ctx, caller.workspaceId, readFilter(query)),
  )

  app.patch(
    '/leads/:id',
    {
      config: { access: { ...asMember.access, entitlement: 'api' } },
      schema: {
        operationId: 'updateLead',
        summary: 'Correct what is known of a lead',
        description: 'Its texts and variables. The address stays; what was sent stays as it was.',
        tags,
        params,
        body: ref(LeadChanges),
        response: { 200: ref(Lead) },
      },
    },
    (req) => updateLead(req.ctx, req.caller.workspaceId, req.params.id, req.body, changedBy(req)),
  )

  app.get(
    '/leads/export.csv',
    {
      config: asMember,
      schema: {
        operationId: 'exportLeads',
        summary: 'Download leads',
        description: 'Those that the filters match, as CSV that can be imported again.',
        tags,
        querystring: Type.Object({
          ...leadFilters,
          ids: Type.Optional(idList('Only these, parted by commas.')),
          excluded: Type.Optional(idList('All but these.')),
          ...workspaceInQuery,
        }),
        response: csvAnswer,
      },
    },
    async ({ ctx, caller, query }, reply) => {
      const pieces = await beginExport(ctx, caller.workspaceId, readFilter(query), {
        ids: query.ids === undefined ? undefined : readIds('ids', query.ids),
        excluded: readIds('excluded', query.excluded ?? ''),
      })
      const day = ctx.now().toISOString().slice(0, 10)
      return csvFile(reply, `leads-${day}`, pieces)
    },
  )

  app.post(
    '/leads/bulk',
    {
      config: {
        ...asMember,
        searches: ({ body }) => (body as BulkChange).filter !== undefined,
      },
      schema: {
        operationId: 'changeLeads',
        summary: 'Change many leads',
        description:
          `Up to ${atOnceMax} at once; more are changed by a runner, whose progress the job tells. ` +
          'Each lead that was refused is named with the reason.',
        tags,
        body: ref(BulkChange),
        response: { 200: ref(LeadJob) },
      },
    },
    (req) => changeMany(req.ctx, req.caller.workspaceId, req.body, changedBy(req)),
  )

  app.get(
    '/leads/jobs',
    {
      config: asMember,
      schema: {
        operationId: 'listLeadJobs',
        summary: 'List changes of leads',
        description: 'Newest first: those that are under way, and those of the last week.',
        tags,
        querystring: Type.Object(pageQuery),
        response: { 200: ref(LeadJobPage) },
      },
    },
    ({ ctx, caller, query }) => listJobs(ctx, caller.workspaceId, pageRequest(query)),
  )

  app.get(
    '/leads/jobs/:id',
    {
      config: asMember,
      schema: {
        operationId: 'getLeadJob',
        summary: 'How far a change of many leads is',
        description: 'Kept for a week.',
        tags,
        params,
        response: { 200: ref(LeadJob) },
      },
    },
    (req) => getJob(req.ctx, req.caller.workspaceId, req.params.id),
  )

  app.post(
    '/leads/jobs/:id/cancel',
    {
      config: asMember,
      schema: {
        operationId: 'cancelLeadJob',
        summary: 'Stop a change of many leads',
        description: 'What was done stays done.',
        tags,
        params,
        response: { 200: ref(LeadJob) },
      },
    },
    (req) => cancelJob(req.ctx, req.caller.workspaceId, req.params.id, changedBy(req)),
  )

  app.post(
    '/leads/jobs/:id/undo',
    {
      config: asMember,
      schema: {
        operationId: 'undoLeadJob',
        summary: 'Undo a change of many leads',
        description: 'Of a status, a pause or a resumption; leads that changed since stay.',
        tags,
        params,
        response: { 200: ref(LeadJob) },
      },
    },
    (req) => undoJob(req.ctx, req.caller.workspaceId, req.params.id, changedBy(req)),
  )
}
