import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../../kernel/http/schema.ts'
import { changedBy } from '../audit/index.ts'
import { addLeads } from './adding/add-leads.ts'
import { getLead } from './find-lead.ts'
import {
  AddedLeads,
  AddLeads,
  Lead,
  LeadInput,
  LeadLookup,
  LeadStatusInput,
  leadsMax,
} from './schema.ts'
import { setLeadStatus } from './status/set-status.ts'

export const leadSchemas = [LeadInput, AddLeads, AddedLeads, Lead, LeadStatusInput]

const tags = ['Leads']

export const leadRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/api/v2/lead/add',
    {
      bodyLimit: 10 * 1024 * 1024,
      config: { access: { scopes: ['leads:create'], entitlement: 'api' } },
      schema: {
        operationId: 'addLeads',
        summary: 'Add leads to a campaign',
        description:
          `1 to ${leadsMax} leads in at most 10 MiB. Every row is accounted for: \`skipped_leads\` tells why one made ` +
          'no lead. An address that unsubscribed or bounced anywhere in the workspace is skipped. ' +
          'A campaign is never started by this; an active one writes to the new leads.',
        tags,
        body: ref(AddLeads),
        response: { 200: ref(AddedLeads) },
      },
    },
    (req) => addLeads(req.ctx, req.caller.workspaceId, req.body),
  )

  app.get(
    '/api/v2/lead/get',
    {
      config: { access: { scopes: ['leads:read'], entitlement: 'api' } },
      schema: {
        operationId: 'getLead',
        summary: 'Find a lead by e-mail address',
        tags,
        querystring: LeadLookup,
        response: { 200: ref(Lead) },
      },
    },
    (req) => getLead(req.ctx, req.caller.workspaceId, req.query),
  )

  app.post(
    '/api/v2/lead/update/status',
    {
      config: { access: { scopes: ['leads:update'], entitlement: 'api' } },
      schema: {
        operationId: 'setLeadStatus',
        summary: "Set a lead's status",
        description:
          'Sets what the lead means to people and, as the status says, what the sender does with ' +
          'it. `unsubscribed` holds for the address in the whole workspace. Setting the status the ' +
          'lead has changes nothing and sends no event.',
        tags,
        body: ref(LeadStatusInput),
        response: { 200: ref(Lead) },
      },
    },
    (req) => setLeadStatus(req.ctx, req.caller.workspaceId, req.body, changedBy(req)),
  )
}
