import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { pageRequest } from '../../kernel/http/page.ts'
import { pageQuery, ref, Uuid } from '../../kernel/http/schema.ts'
import { changedBy } from '../audit/index.ts'
import { changeWebhook } from './change-webhook.ts'
import { listEventTypes } from './event-types.ts'
import { maskHeaders } from './headers.ts'
import {
  ChangedWebhook,
  CreatedWebhook,
  Webhook,
  WebhookChanges,
  WebhookEventTypeList,
  WebhookInput,
  WebhookPage,
} from './schema.ts'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  judgeNewWebhook,
  listWebhooks,
} from './webhooks.ts'

const tags = ['Webhooks']
const entitlement = 'webhooks'
const params = Type.Object({ id: Uuid })

export const webhookRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/api/v2/webhooks',
    {
      config: { access: { scopes: ['webhooks:read'], entitlement } },
      schema: {
        operationId: 'listWebhooks',
        summary: 'List webhooks',
        description: 'Newest first, disabled ones too.',
        tags,
        querystring: Type.Object({
          ...pageQuery,
          campaign: Type.Optional(
            Type.Unsafe<string>({ ...Uuid, description: 'Only those tied to this campaign.' }),
          ),
          event_type: Type.Optional(
            Type.String({
              minLength: 1,
              description: 'Only those that subscribe to exactly this.',
            }),
          ),
        }),
        response: { 200: ref(WebhookPage) },
      },
    },
    (req) => listWebhooks(req.ctx, req.caller.workspaceId, req.query, pageRequest(req.query)),
  )

  app.post(
    '/api/v2/webhooks',
    {
      config: {
        access: { scopes: ['webhooks:create'], entitlement },
        prepare: (req) =>
          judgeNewWebhook(req.ctx, req.caller.workspaceId, req.body as WebhookInput),
        mask: (body) => ({
          ...body,
          signing_secret: null,
          headers: maskHeaders(body.headers as Record<string, string>),
        }),
      },
      schema: {
        operationId: 'createWebhook',
        summary: 'Create a webhook',
        description:
          'Receives the events of the workspace, or with `campaign` those of one campaign. ' +
          '`signing_secret` and the values of `headers` are in this response and in no other. ' +
          'A workspace holds at most 10,000 webhooks, and makes at most 20,000 a day.',
        tags,
        body: ref(WebhookInput),
        response: { 201: ref(CreatedWebhook) },
      },
    },
    async (req, reply) => {
      reply.code(201)
      return createWebhook(req.ctx, req.caller.workspaceId, req.body, changedBy(req))
    },
  )

  app.get(
    '/api/v2/webhooks/event-types',
    {
      config: { access: { scopes: ['webhooks:read'], entitlement } },
      schema: {
        operationId: 'listWebhookEventTypes',
        summary: 'List event types',
        description:
          'Everything a webhook can subscribe to: the standard types, then one for each custom ' +
          'label. Use `id` as `event_type`: labels can be renamed.',
        tags,
        response: { 200: ref(WebhookEventTypeList) },
      },
    },
    (req) => listEventTypes(req.ctx, req.caller.workspaceId),
  )

  app.get(
    '/api/v2/webhooks/:id',
    {
      config: { access: { scopes: ['webhooks:read'], entitlement } },
      schema: {
        operationId: 'getWebhook',
        summary: 'Read a webhook',
        tags,
        params,
        response: { 200: ref(Webhook) },
      },
    },
    (req) => getWebhook(req.ctx, req.caller.workspaceId, req.params.id),
  )

  app.patch(
    '/api/v2/webhooks/:id',
    {
      config: { access: { scopes: ['webhooks:update'], entitlement } },
      schema: {
        operationId: 'updateWebhook',
        summary: 'Change a webhook',
        description:
          'Only what is sent changes. `status` pauses and resumes; a record that was read while the ' +
          'webhook was active does not resume it: `active` beside a `disabled_reason` of null is then a ' +
          '409 `invalid_transition`. `signing_secret` rotates (null ' +
          'makes a new one), and the old one signs too for `signing_secret_overlap_seconds`. ' +
          'Deliveries that are pending go to the new URL. A webhook has at most 1,000 URLs while ' +
          'attempts at them are kept.',
        tags,
        params,
        body: ref(WebhookChanges),
        response: { 200: ref(ChangedWebhook) },
      },
    },
    (req) =>
      changeWebhook(req.ctx, req.caller.workspaceId, req.params.id, req.body, changedBy(req)),
  )

  app.delete(
    '/api/v2/webhooks/:id',
    {
      config: { access: { scopes: ['webhooks:delete'], entitlement } },
      schema: {
        operationId: 'deleteWebhook',
        summary: 'Delete a webhook',
        description: 'Answers it as it was. Its delivery history stays readable.',
        tags,
        params,
        response: { 200: ref(Webhook) },
      },
    },
    (req) => deleteWebhook(req.ctx, req.caller.workspaceId, req.params.id, changedBy(req)),
  )
}
