import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { pageRequest } from '../../kernel/http/page.ts'
import { pageQuery, ref, Uuid } from '../../kernel/http/schema.ts'
import { changedBy } from '../audit/index.ts'
import { readAnalytics } from './analytics.ts'
import {
  CampaignAnalytics,
  CampaignNames,
  CampaignReadiness,
  CampaignSummary,
  CampaignSummaryPage,
  RefusedCopies,
} from './application-schema.ts'
import { getCampaign } from './campaigns.ts'
import { duplicateCampaign } from './duplicate.ts'
import { listNames } from './queries.ts'
import { listRefusedCopies } from './refused-copies/refused-copy-queries.ts'
import { Campaign, campaignStatuses } from './schema.ts'
import { listSummaries } from './summary.ts'
import { whyUnready } from './update-campaign.ts'

export const campaignPageSchemas = [
  ...[CampaignSummary, CampaignSummaryPage, CampaignNames],
  ...[CampaignReadiness, CampaignAnalytics, RefusedCopies],
]

const tags = ['Campaigns']
const params = Type.Object({ id: Uuid })
const entitlement = 'api'
const asEntitledViewer = { access: { scopes: [], role: 'viewer' as const, entitlement } }
const asEntitledMember = { access: { scopes: [], role: 'member' as const, entitlement } }

const day = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: '^\\d{4}-\\d{2}-\\d{2}$',
      ...{ 'x-form': 'a date as YYYY-MM-DD', description },
    }),
  )

/** What people do with campaigns besides what the public API offers. */
export const campaignPageRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/campaigns',
    {
      config: asEntitledViewer,
      schema: {
        operationId: 'listCampaignSummaries',
        summary: 'List campaigns with what they came to',
        description: 'Newest first.',
        tags,
        querystring: Type.Object({
          ...pageQuery,
          status: Type.Optional(Type.Enum([...campaignStatuses])),
          search: Type.Optional(
            Type.String({ maxLength: 255, pattern: '^[^\\u0000]*$', 'x-trim': true }),
          ),
        }),
        response: { 200: ref(CampaignSummaryPage) },
      },
    },
    ({ ctx, caller, query }) => listSummaries(ctx, caller.workspaceId, pageRequest(query), query),
  )

  app.get(
    '/campaigns/names',
    {
      // Leads are listed without the entitlement, and named by their campaigns.
      config: { access: { scopes: [], role: 'viewer' } },
      schema: {
        operationId: 'listCampaignNames',
        summary: 'List campaigns by their names',
        description: 'Newest first, to name and to choose one.',
        tags,
        response: { 200: ref(CampaignNames) },
      },
    },
    async ({ ctx, caller }) => ({ items: await listNames(ctx.db, caller.workspaceId) }),
  )

  app.post(
    '/campaigns/:id/duplicate',
    {
      config: asEntitledMember,
      schema: {
        operationId: 'duplicateCampaign',
        summary: 'Make a draft like a campaign',
        description: 'With its steps, schedule and options, and none of its leads.',
        tags,
        params,
        response: { 201: ref(Campaign) },
      },
    },
    async (req, reply) => {
      reply.code(201)
      return duplicateCampaign(req.ctx, req.caller.workspaceId, req.params.id, changedBy(req))
    },
  )

  app.get(
    '/campaigns/:id/readiness',
    {
      config: asEntitledViewer,
      schema: {
        operationId: 'readCampaignReadiness',
        summary: 'Ask whether a campaign could start',
        description: 'With every problem, by its place.',
        tags,
        params,
        response: { 200: ref(CampaignReadiness) },
      },
    },
    async ({ ctx, caller, params: { id } }) => {
      const refusal = await whyUnready(ctx, caller.workspaceId, id)
      return { ready: refusal === undefined, problems: refusal?.details ?? [] }
    },
  )

  app.get(
    '/campaigns/:id/refused-copies',
    {
      config: asEntitledViewer,
      schema: {
        operationId: 'listRefusedCopies',
        summary: 'List the copies of a campaign that mail servers refuse',
        description:
          'Its mails go out without them. A change of `cc_list` or `bcc_list` empties the list.',
        tags,
        params,
        response: { 200: ref(RefusedCopies) },
      },
    },
    async ({ ctx, caller: { workspaceId }, params }) => {
      const { id } = await getCampaign(ctx, workspaceId, params.id)
      return { items: await listRefusedCopies(ctx.db, workspaceId, id) }
    },
  )

  app.get(
    '/campaigns/:id/analytics',
    {
      config: asEntitledViewer,
      schema: {
        operationId: 'readCampaignAnalytics',
        summary: 'Read what the mails of a campaign came to',
        description: 'By day, step and variant. Days are those of its first schedule’s zone.',
        tags,
        params,
        querystring: Type.Object({
          from: day('The first day; 30 days in all without it.'),
          to: day('The last day; today without it.'),
        }),
        response: { 200: ref(CampaignAnalytics) },
      },
    },
    ({ ctx, caller, params: { id }, query }) => readAnalytics(ctx, caller.workspaceId, id, query),
  )
}
