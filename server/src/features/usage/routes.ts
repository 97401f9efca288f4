import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../../kernel/http/schema.ts'
import { Usage } from './schema.ts'
import { readUsage } from './usage.ts'

export const usageSchemas = [Usage]

export const usageRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/usage',
    {
      config: { access: { scopes: [], role: 'viewer' } },
      schema: {
        operationId: 'getUsage',
        summary: 'What the workspace uses',
        description: 'Beside its limits. Credits have a balance of their own.',
        tags: ['Workspace'],
        response: { 200: ref(Usage) },
      },
    },
    ({ ctx, caller, session }) =>
      readUsage(ctx, caller.workspaceId, { isOperator: session?.user.is_operator ?? false }),
  )
}
