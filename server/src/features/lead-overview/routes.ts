import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { asViewer } from '../../kernel/http/access.ts'
import { pageRequest } from '../../kernel/http/page.ts'
import { pageQuery, ref, Uuid } from '../../kernel/http/schema.ts'
import { getHeldBack } from './held-back.ts'
import { listHistory } from './history.ts'
import { getLeadOverview } from './overview.ts'
import { HeldBack, LeadHistory, LeadHistoryItem, LeadOverview } from './schema.ts'

export const leadOverviewSchemas = [LeadOverview, LeadHistoryItem, LeadHistory, HeldBack]

const tags = ['Leads']
const params = Type.Object({ id: Uuid })

export const leadOverviewRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/leads/:id',
    {
      config: asViewer,
      schema: {
        operationId: 'getLeadOverview',
        summary: 'A lead and where it stands',
        description: 'With every campaign of its address, and what keeps it from the next mail.',
        tags,
        params,
        response: { 200: ref(LeadOverview) },
      },
    },
    (req) => getLeadOverview(req.ctx, req.caller.workspaceId, req.params.id),
  )

  app.get(
    '/leads/:id/history',
    {
      config: asViewer,
      schema: {
        operationId: 'listLeadHistory',
        summary: 'What happened to a lead',
        description: 'Mails, events, deliveries and changes in one line of time, newest first.',
        tags,
        params,
        querystring: Type.Object(pageQuery),
        response: { 200: ref(LeadHistory) },
      },
    },
    (req) => listHistory(req.ctx, req.caller.workspaceId, req.params.id, pageRequest(req.query)),
  )

  app.get(
    '/campaigns/:id/held-back',
    {
      config: asViewer,
      schema: {
        operationId: 'getHeldBack',
        summary: 'Why leads of a campaign are held back',
        description: 'How many of them for each reason.',
        tags,
        params,
        response: { 200: ref(HeldBack) },
      },
    },
    (req) => getHeldBack(req.ctx, req.caller.workspaceId, req.params.id),
  )
}
