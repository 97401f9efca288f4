import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { pageRequest } from '../../kernel/http/page.ts'
import { pageQuery, ref, Uuid } from '../../kernel/http/schema.ts'
import { changedBy } from '../audit/index.ts'
import { createKeyAsCaller, listKeys, revokeKey } from './keys.ts'
import { CreatedKey, Key, KeyInput, KeyPage } from './schema.ts'

export const keySchemas = [KeyInput, Key, CreatedKey, KeyPage]

const tags = ['Service-account keys']

export const keyRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/oauth/service-accounts',
    {
      config: {
        access: { scopes: ['service_accounts:create'] },
        mask: (body) => ({ ...body, key: null }),
      },
      schema: {
        operationId: 'createServiceAccountKey',
        summary: 'Create a key',
        description: 'The full secret is in this response and in no other.',
        tags,
        body: ref(KeyInput),
        response: { 201: ref(CreatedKey) },
      },
    },
    async (req, reply) => {
      reply.code(201)
      return createKeyAsCaller(req.ctx, req.caller, req.body, req.id)
    },
  )

  app.get(
    '/oauth/service-accounts',
    {
      config: { access: { scopes: ['service_accounts:read'] } },
      schema: {
        operationId: 'listServiceAccountKeys',
        summary: 'List keys',
        description: 'Every key that is not revoked, newest first.',
        tags,
        querystring: Type.Object(pageQuery),
        response: { 200: ref(KeyPage) },
      },
    },
    (req) => listKeys(req.ctx, req.caller.workspaceId, pageRequest(req.query)),
  )

  app.delete(
    '/oauth/service-accounts/:id',
    {
      config: { access: { scopes: ['service_accounts:delete'] } },
      schema: {
        operationId: 'revokeServiceAccountKey',
        summary: 'Revoke a key',
        description: 'Permanent; the key is refused from the moment this answers.',
        tags,
        params: Type.Object({ id: Uuid }),
        response: { 200: ref(Key) },
      },
    },
    (req) => revokeKey(req.ctx, req.caller.workspaceId, req.params.id, changedBy(req)),
  )
}
