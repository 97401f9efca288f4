import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { ref, Uuid } from '../../../kernel/http/schema.ts'
import { getSentRequest, WebhookRequest } from './sent-request.ts'

export const sentRequestSchemas = [WebhookRequest]

export const sentRequestRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/webhook-events/:id/request',
    {
      config: { access: { scopes: [], role: 'viewer', entitlement: 'webhooks' } },
      schema: {
        operationId: 'getWebhookRequest',
        summary: 'The request of an attempt',
        tags: ['Webhook events'],
        params: Type.Object({ id: Uuid }),
        response: { 200: ref(WebhookRequest) },
      },
    },
    ({ ctx, caller, params }) => {
      const mayReplay = caller.role === 'admin' || caller.role === 'owner'
      return getSentRequest(ctx, caller.workspaceId, params.id, mayReplay)
    },
  )
}
