import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { ref } from '../../kernel/http/schema.ts'
import { SearchResult } from './schema.ts'
import { search } from './search.ts'

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
