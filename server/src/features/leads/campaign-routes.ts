import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { ref, Uuid } from '../../kernel/http/schema.ts'
import { changedBy } from '../audit/index.ts'
import { Campaign } from '../campaigns/index.ts'
import { listVariables } from './adding/variables.ts'
import { deleteUnsentWithLeads } from './delete-unsent.ts'

const LeadVariables = Type.Object(
  {
    leads: Type.Integer({ description: 'Those of the newest that mails are still sent to.' }),
    items: Type.Array(
      Type.Object({
        name: Type.String(),
        missing: Type.Integer({ description: 'Leads that lack it.' }),
      }),
    ),
  },
  {
    $id: 'LeadVariables',
    description: 'What mails can say of the leads of a campaign.',
    examples: [{ leads: 120, items: [{ name: 'first_name', missing: 3 }] }],
  },
)

export const campaignLeadSchemas = [LeadVariables]

/** What needs a campaign and its leads at once. */
export const campaignLeadRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/campaigns/:id/variables',
    {
      config: { access: { scopes: [], role: 'viewer', entitlement: 'api' } },
      schema: {
        operationId: 'listLeadVariables',
        summary: 'List what is known of the leads of a campaign',
        description: 'The variables that its mails can use, and how many leads lack each.',
        tags: ['Campaigns'],
        params: Type.Object({ id: Uuid }),
        response: { 200: ref(LeadVariables) },
      },
    },
    ({ ctx, caller, params }) => listVariables(ctx, caller.workspaceId, params.id),
  )

  app.delete(
    '/campaigns/:id',
    {
      config: { access: { scopes: [], role: 'member', entitlement: 'api' } },
      schema: {
        operationId: 'deleteCampaign',
        summary: 'Delete a campaign that never sent',
        description: 'With the leads that wait in it. Pause one that runs before.',
        tags: ['Campaigns'],
        params: Type.Object({ id: Uuid }),
        response: { 200: ref(Campaign) },
      },
    },
    (req) => deleteUnsentWithLeads(req.ctx, req.caller.workspaceId, req.params.id, changedBy(req)),
  )
}
