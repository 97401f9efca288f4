import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { Nullable, ref, Uuid } from '../../kernel/http/schema.ts'
import { search } from './search.ts'

const SearchResult = Type.Object(
  {
    campaigns: Type.Array(Type.Object({ id: Uuid, name: Type.String(), status: Type.String() })),
    leads: Type.Array(
      Type.Object({
        id: Uuid,
        campaign_id: Uuid,
        email: Type.String(),
        name: Nullable(Type.String()),
      }),
    ),
    mailboxes: Type.Array(Type.Object({ id: Uuid, address: Type.String(), status: Type.String() })),
    webhooks: Type.Array(Type.Object({ id: Uuid, name: Type.String(), status: Type.String() })),
  },
  {
    $id: 'SearchResult',
    description: 'The newest five of each.',
    examples: [{ campaigns: [], leads: [], mailboxes: [], webhooks: [] }],
  },
)

export const searchSchemas = [SearchResult]

export const searchRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/search',
    {
      config: { access: { scopes: [], role: 'viewer' } },
      schema: {
        operationId: 'search',
        summary: 'Find records by a part of their name',
        description: 'Campaigns, leads, mailboxes and webhooks; from two characters on.',
        tags: ['Home'],
        querystring: Type.Object({
          q: Type.Optional(Type.String({ maxLength: 200, description: 'A part of it.' })),
        }),
        response: { 200: ref(SearchResult) },
      },
    },
    ({ ctx, caller, query }) => search(ctx, caller.workspaceId, query.q ?? ''),
  )
}
