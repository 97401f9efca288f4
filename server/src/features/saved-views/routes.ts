import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { invalidField } from '../../kernel/errors.ts'
import { Name, ref } from '../../kernel/http/schema.ts'
import { deleteView, findViews, upsertView } from './queries.ts'
import { SavedView, SavedViews, viewsMax } from './schema.ts'

export const savedViewSchemas = [SavedView, SavedViews]

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
        operationId: 'keepSavedView',
        summary: 'Keep a view of leads',
        description: 'In place of yours of the same name, if there is one; the others stay.',
        tags,
        body: ref(SavedView),
        response: { 200: ref(SavedViews) },
      },
    },
    async ({ ctx, caller, body }) => {
      const items = await upsertView(ctx.db, caller.workspaceId, caller.actor.id, body, ctx.now())
      if (items) return { items }
      throw invalidField('/name', `There are ${viewsMax} views already: delete one of them first.`)
    },
  )

  app.delete(
    '/saved-views',
    {
      config,
      schema: {
        operationId: 'deleteSavedView',
        summary: 'Delete a view of leads',
        description: 'One that is gone already is no error.',
        tags,
        querystring: Type.Object({ name: Name }),
        response: { 200: ref(SavedViews) },
      },
    },
    async ({ ctx, caller, query: { name } }) => ({
      items: await deleteView(ctx.db, caller.workspaceId, caller.actor.id, name, ctx.now()),
    }),
  )
}
