import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { asViewer } from '../../kernel/http/access.ts'
import { ref, Uuid } from '../../kernel/http/schema.ts'
import { readAnalytics } from './analytics.ts'
import { listAttention } from './attention.ts'
import { readChecklist } from './queries.ts'
import { Analytics, AttentionItem, Home } from './schema.ts'

export const homeSchemas = [AttentionItem, Home, Analytics]

const tags = ['Home']
const day = (description: string) => Type.Optional(Type.String({ maxLength: 10, description }))

export const homeRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/home',
    {
      config: asViewer,
      schema: {
        operationId: 'getHome',
        summary: 'What needs attention',
        tags,
        response: { 200: ref(Home) },
      },
    },
    async ({ ctx, caller }) => ({
      attention: await listAttention(ctx, caller.workspaceId),
      checklist: await readChecklist(ctx.db, caller.workspaceId),
    }),
  )

  app.get(
    '/analytics',
    {
      config: asViewer,
      schema: {
        operationId: 'getAnalytics',
        summary: 'What mails came to, day by day',
        description: 'Of all campaigns or of one; the last 30 days, unless others are asked for.',
        tags,
        querystring: Type.Object({
          from: day('The first day, YYYY-MM-DD.'),
          to: day('The last day, YYYY-MM-DD.'),
          campaign_id: Type.Optional(Type.Unsafe<string>({ ...Uuid, description: 'Of this one.' })),
        }),
        response: { 200: ref(Analytics) },
      },
    },
    ({ ctx, caller, query }) => readAnalytics(ctx, caller.workspaceId, query),
  )
}
