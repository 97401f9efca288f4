import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { pageRequest } from '../../../kernel/http/page.ts'
import { ref, Uuid } from '../../../kernel/http/schema.ts'
import {
  getWebhookEvent,
  listWebhookEvents,
  summariseAttempts,
  summariseByDate,
} from './history.ts'
import {
  AttemptQuery,
  SummaryQuery,
  WebhookDaySummaryList,
  WebhookEvent,
  WebhookEventPage,
  WebhookSummary,
} from './schema.ts'

const config = { access: { scopes: ['webhooks:read'], entitlement: 'webhooks' } }
const tags = ['Webhook events']

export const webhookEventRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/api/v2/webhook-events',
    {
      config,
      schema: {
        operationId: 'listWebhookEvents',
        summary: 'List webhook events',
        description:
          'Every delivery attempt, test deliveries and closing records included, newest first. To ' +
          'follow new ones, read from two minutes before the last and drop the ids already seen.',
        tags,
        querystring: AttemptQuery,
        response: { 200: ref(WebhookEventPage) },
      },
    },
    (req) => listWebhookEvents(req.ctx, req.caller.workspaceId, req.query, pageRequest(req.query)),
  )

  app.get(
    '/api/v2/webhook-events/summary',
    {
      config,
      schema: {
        operationId: 'getWebhookEventSummary',
        summary: 'Summarise webhook events',
        description: 'How many attempts were made, and how many of them succeeded.',
        tags,
        querystring: SummaryQuery,
        response: { 200: ref(WebhookSummary) },
      },
    },
    (req) => summariseAttempts(req.ctx, req.caller.workspaceId, req.query),
  )

  app.get(
    '/api/v2/webhook-events/summary-by-date',
    {
      config,
      schema: {
        operationId: 'getWebhookEventSummaryByDate',
        summary: 'Summarise webhook events by day',
        description: 'One record for every UTC day of the window, ascending, zeros included.',
        tags,
        querystring: SummaryQuery,
        response: { 200: ref(WebhookDaySummaryList) },
      },
    },
    (req) => summariseByDate(req.ctx, req.caller.workspaceId, req.query),
  )

  app.get(
    '/api/v2/webhook-events/:id',
    {
      config,
      schema: {
        operationId: 'getWebhookEvent',
        summary: 'Read a webhook event',
        tags,
        params: Type.Object({ id: Uuid }),
        response: { 200: ref(WebhookEvent) },
      },
    },
    (req) => getWebhookEvent(req.ctx, req.caller.workspaceId, req.params.id),
  )
}
