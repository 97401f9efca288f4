import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { asMember } from '../../kernel/http/access.ts'
import { pageRequest } from '../../kernel/http/page.ts'
import { pageQuery, ref, Uuid } from '../../kernel/http/schema.ts'
import { changedBy } from '../audit/index.ts'
import { getErasure, listErasures, startErasure } from './erase.ts'
import { Erasure, ErasurePage } from './schema.ts'

export const erasureSchemas = [Erasure, ErasurePage]

const tags = ['Leads']
const params = Type.Object({ id: Uuid })

export const erasureRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/leads/:id/erase',
    {
      config: { access: { scopes: [], role: 'admin' } },
      schema: {
        operationId: 'eraseLead',
        summary: 'Erase a person',
        description:
          'From every campaign, mail, payload and answer of this workspace: a runner does, and what ' +
          'arrives about them meanwhile goes, too. From the answer on nobody writes to them or adds ' +
          'them; what remains is a hash of the address. There is no way back.',
        tags,
        params,
        response: { 200: ref(Erasure) },
      },
    },
    (req) => startErasure(req.ctx, req.caller.workspaceId, req.params.id, changedBy(req)),
  )

  app.get(
    '/erasures',
    {
      config: asMember,
      schema: {
        operationId: 'listErasures',
        summary: 'List erasures',
        description: 'Newest first: those under way, and those of the last week. They name nobody.',
        tags,
        querystring: Type.Object(pageQuery),
        response: { 200: ref(ErasurePage) },
      },
    },
    (req) => listErasures(req.ctx, req.caller.workspaceId, pageRequest(req.query)),
  )

  app.get(
    '/erasures/:id',
    {
      config: asMember,
      schema: {
        operationId: 'getErasure',
        summary: 'How far an erasure is',
        tags,
        params,
        response: { 200: ref(Erasure) },
      },
    },
    (req) => getErasure(req.ctx, req.caller.workspaceId, req.params.id),
  )
}
