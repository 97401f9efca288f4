import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { ref, Uuid } from '../../kernel/http/schema.ts'
import { Campaign } from '../campaigns/index.ts'
import { deleteDraftWithLeads } from './delete-draft.ts'

export const draftRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.delete(
    '/campaigns/:id',
    {
      config: { access: { scopes: [], role: 'member', entitlement: 'api' } },
      schema: {
        operationId: 'deleteCampaign',
        summary: 'Delete a draft',
        description: 'Only a campaign that never sent, with the leads that wait in it.',
        tags: ['Campaigns'],
        params: Type.Object({ id: Uuid }),
        response: { 200: ref(Campaign) },
      },
    },
    ({ ctx, caller, params, id: requestId }) =>
      deleteDraftWithLeads(ctx, caller.workspaceId, params.id, { actor: caller.actor, requestId }),
  )
}
