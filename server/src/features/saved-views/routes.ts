import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../../kernel/http/schema.ts'
import { findViews, upsertViews } from './queries.ts'
import { SavedViews } from './schema.ts'

export const savedViewSchemas = [SavedViews]

const tags = ['Leads']
const config = { access: { scopes: [], role: 'viewer' as const } }

/** Of the person who asks alone: no role may see or change another's. */
export const savedViewRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/saved-views',
    {
      config,
      schema: {
        operationId: 'listSavedViews',
        summary: 'List your views of leads',
        description: 'Those of the person who asks, in this workspace.',
        tags,
        response: { 200: ref(SavedViews) },
      },
    },
    async ({ ctx, caller }) => ({
      items: await findViews(ctx.db, caller.workspaceId, caller.actor.id),
    }),
  )

  app.put(
    '/saved-views',
    {
      config,
      schema: {
        operationId: 'setSavedViews',
        summary: 'Keep your views of leads',
        description: 'These in place of those that were kept.',
        tags,
        body: ref(SavedViews),
        response: { 200: ref(SavedViews) },
      },
    },
    async ({ ctx, caller, body }) => {
      await upsertViews(ctx.db, caller.workspaceId, caller.actor.id, body.items, ctx.now())
      return body
    },
  )
}
