import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { pageRequest } from '../../kernel/http/page.ts'
import { pageQuery, ref, Uuid } from '../../kernel/http/schema.ts'
import { changedBy } from '../audit/index.ts'
import { forecastCampaign } from './forecast/forecast-campaign.ts'
import { CampaignForecast, Send, SendPage, SentAgain, sendStates } from './schema.ts'
import { pageSends } from './sends.ts'
import { confirmArrived, sendAgain } from './uncertain/decide.ts'

export const sendingSchemas = [CampaignForecast, Send, SendPage, SentAgain]

const tags = ['Campaigns']
const params = Type.Object({ id: Uuid })
const entitlement = 'api'
const asEntitledViewer = { access: { scopes: [], role: 'viewer' as const, entitlement } }
const asEntitledMember = { access: { scopes: [], role: 'member' as const, entitlement } }

/** What will be sent, and what was. */
export const sendingRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/campaigns/:id/forecast',
    {
      config: asEntitledViewer,
      schema: {
        operationId: 'forecastCampaign',
        summary: 'Forecast what a campaign sends',
        description: 'Day by day, by the rules of the sender, as if it were started now.',
        tags,
        params,
        querystring: Type.Object({
          days: Type.Optional(Type.Integer({ minimum: 1, maximum: 366, default: 366 })),
        }),
        response: { 200: ref(CampaignForecast) },
      },
    },
    ({ ctx, caller, params: { id }, query: { days: daysMax = 366 } }) =>
      forecastCampaign(ctx, caller.workspaceId, id, { daysMax }),
  )

  app.get(
    '/sends',
    {
      config: asEntitledViewer,
      schema: {
        operationId: 'listSends',
        summary: 'List the mails of campaigns',
        description: 'Newest first.',
        tags,
        querystring: Type.Object({
          ...pageQuery,
          campaign_id: Type.Optional(Type.Unsafe<string>({ ...Uuid, description: 'Of this one.' })),
          state: Type.Optional(Type.Enum([...sendStates], { description: 'In this state.' })),
        }),
        response: { 200: ref(SendPage) },
      },
    },
    async ({ ctx, caller, query }) => {
      const filter = { campaignId: query.campaign_id ?? null, state: query.state ?? null }
      return pageSends(ctx, caller.workspaceId, pageRequest(query), filter)
    },
  )

  app.post(
    '/sends/:id/arrived',
    {
      config: asEntitledMember,
      schema: {
        operationId: 'confirmSendArrived',
        summary: 'Say that an uncertain mail arrived',
        description: 'Of a campaign, or an answer. It is recorded as sent.',
        tags,
        params,
        response: { 200: ref(Send) },
      },
    },
    async (req) => confirmArrived(req.ctx, req.caller.workspaceId, req.params.id, changedBy(req)),
  )

  app.post(
    '/sends/:id/send-again',
    {
      config: asEntitledMember,
      schema: {
        operationId: 'repeatSend',
        summary: 'Send an uncertain mail again',
        description:
          'Of a campaign, or an answer. If it arrived, its lead has it twice. A step that a later one ' +
          'has followed, or whose lead gets nothing any more, is a 409 `invalid_transition`.',
        tags,
        params,
        response: { 200: ref(SentAgain) },
      },
    },
    async (req) => sendAgain(req.ctx, req.caller.workspaceId, req.params.id, changedBy(req)),
  )
}
