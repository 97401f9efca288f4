import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { ref, Uuid } from '../../kernel/http/schema.ts'
import { changedBy } from '../audit/index.ts'
import { revokeKey } from './keys.ts'
import { Key } from './schema.ts'

const RevokeInput = Type.Object(
  { with_children: Type.Optional(Type.Boolean({ default: false })) },
  {
    $id: 'RevokeKeyInput',
    description: 'Whether the keys that it made are revoked, too, and theirs.',
    additionalProperties: false,
    examples: [{ with_children: true }],
  },
)

export const keyFamilySchemas = [RevokeInput]

/** What only people do with keys; the public API revokes a key alone. */
export const keyFamilyRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/keys/:id/revoke',
    {
      config: { access: { scopes: [], role: 'admin' } },
      schema: {
        operationId: 'revokeKeyFamily',
        summary: 'Revoke a key, and those that it made',
        description: 'Permanent; they are refused from the moment this answers.',
        tags: ['Service-account keys'],
        params: Type.Object({ id: Uuid }),
        body: ref(RevokeInput),
        response: { 200: ref(Key) },
      },
    },
    (req) =>
      revokeKey(req.ctx, req.caller.workspaceId, req.params.id, changedBy(req), {
        withChildren: req.body.with_children ?? false,
      }),
  )
}
