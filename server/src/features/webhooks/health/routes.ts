import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { pageRequest } from '../../../kernel/http/page.ts'
import { pageQuery, ref, Uuid } from '../../../kernel/http/schema.ts'
import { getHealth, listDays, listHealth } from './health.ts'
import { WebhookDayList, WebhookHealth, WebhookHealthPage } from './schema.ts'

const config = { access: { scopes: [], role: 'viewer' as const, entitlement: 'webhooks' } }
const tags = ['Webhooks']
const params = Type.Object({ id: Uuid })

export const webhookHealthRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/webhooks/health',
    {
      config,
      schema: {
        operationId: 'listWebhookHealth',
        summary: 'How webhooks do',
        description: 'Of the same webhooks, in the same order, as a page of their list.',
        tags,
        querystring: Type.Object(pageQuery),
        response: { 200: ref(WebhookHealthPage) },
      },
    },
    (req) => listHealth(req.ctx, req.caller.workspaceId, pageRequest(req.query)),
  )

  app.get(
    '/webhooks/:id/health',
    {
      config,
      schema: {
        operationId: 'getWebhookHealth',
        summary: 'How a webhook does',
        tags,
        params,
        response: { 200: ref(WebhookHealth) },
      },
    },
    (req) => getHealth(req.ctx, req.caller.workspaceId, req.params.id),
  )

  app.get(
    '/webhooks/:id/days',
    {
      config,
      schema: {
        operationId: 'listWebhookDays',
        summary: 'Attempts of a webhook by day',
        description: 'The last 30 UTC days, ascending, zeros included.',
        tags,
        params,
        response: { 200: ref(WebhookDayList) },
      },
    },
    (req) => listDays(req.ctx, req.caller.workspaceId, req.params.id),
  )
}
