import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { RateLimit } from '../../../kernel/http/rate-limit.ts'
import { Nullable, ref, Uuid } from '../../../kernel/http/schema.ts'
import { testWebhook } from './test-call.ts'

const WebhookTestResult = Type.Object(
  {
    success: Type.Boolean(),
    status_code: Nullable(Type.Integer()),
    response_time_ms: Type.Number(),
    error: Nullable(
      Type.String({ description: 'As `error_message` of a webhook event; null on success.' }),
    ),
  },
  {
    $id: 'WebhookTestResult',
    description: 'How a test delivery went.',
    examples: [{ success: true, status_code: 200, response_time_ms: 41, error: null }],
  },
)

export const webhookTestSchemas = [WebhookTestResult]

export const webhookTestRoutes: FastifyPluginAsyncTypebox<{ attempts: RateLimit }> = async (
  app,
  { attempts },
) => {
  const stop = new AbortController()
  app.addHook('preClose', async () => {
    setTimeout(() => stop.abort(), stopAfterMs).unref()
  })
  app.post(
    '/api/v2/webhooks/:id/test',
    {
      config: {
        access: {
          scopes: ['webhooks:create', 'webhooks:update'],
          entitlement: 'webhooks',
        },
        idempotency: 'lease',
      },
      schema: {
        operationId: 'testWebhook',
        summary: 'Send a test delivery',
        description:
          'Sends one signed delivery of the destination’s event type with sample data and `"test": true`, ' +
          'and records it as a webhook event. A test that was made is always 200: the result is in the body. ' +
          'A request body is ignored. Beyond 60 a minute per destination, or 8 of a workspace at once in ' +
          'an API process, 429 `rate_limited`.',
        tags: ['Webhooks'],
        params: Type.Object({ id: Uuid }),
        response: { 200: ref(WebhookTestResult) },
      },
    },
    (req) => testWebhook(req.ctx, req.caller.workspaceId, req.params.id, attempts, stop.signal),
  )
}

/** How long a test goes on at a stop: what became of it is still to be recorded before connections are cut. */
const stopAfterMs = 2_000
