import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { asAdmin, asViewer } from '../../kernel/http/access.ts'
import { csvAnswer, csvFile, workspaceInQuery } from '../../kernel/http/csv-file.ts'
import { instantOf } from '../../kernel/http/instant.ts'
import { pageQuery, ref } from '../../kernel/http/schema.ts'
import { changedBy } from '../audit/index.ts'
import {
  addSuppression,
  countSuppressions,
  exportSuppressions,
  listSuppressions,
  removeSuppression,
} from './list.ts'
import {
  ChangedSuppression,
  Kind,
  LiftedSuppression,
  Reason,
  SuppressionCounts,
  SuppressionInput,
  SuppressionLift,
  SuppressionPage,
} from './schema.ts'

const tags = ['Suppression']

export const suppressionRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/suppressions',
    {
      config: asViewer,
      schema: {
        operationId: 'listSuppressions',
        summary: 'List whom nobody writes to',
        description: 'Addresses before domains, each by the alphabet.',
        tags,
        querystring: Type.Object({
          limit: pageQuery.limit,
          starting_after: Type.Optional(Type.String({ maxLength: 400 })),
          search: Type.Optional(Type.String({ minLength: 1, maxLength: 320 })),
          kind: Type.Optional(Kind),
          reason: Type.Optional(Reason),
        }),
        response: { 200: ref(SuppressionPage) },
      },
    },
    ({ ctx, caller, query }) => {
      const { limit = 25, starting_after: startingAfter, ...filter } = query
      return listSuppressions(ctx, caller.workspaceId, { limit, startingAfter }, filter)
    },
  )

  app.get(
    '/suppressions/counts',
    {
      config: asViewer,
      schema: {
        operationId: 'countSuppressions',
        summary: 'Count whom nobody writes to',
        description: 'By kind and reason.',
        tags,
        response: { 200: ref(SuppressionCounts) },
      },
    },
    async ({ ctx, caller }) => ({ counts: await countSuppressions(ctx, caller.workspaceId) }),
  )

  app.get(
    '/suppressions/export.csv',
    {
      config: asViewer,
      schema: {
        operationId: 'exportSuppressions',
        summary: 'Download the list',
        description: 'As CSV, which importing reads back as it was.',
        tags,
        querystring: Type.Object(workspaceInQuery),
        response: csvAnswer,
      },
    },
    async ({ ctx, caller }, reply) =>
      csvFile(reply, 'suppressions', exportSuppressions(ctx, caller.workspaceId)),
  )

  app.post(
    '/suppressions',
    {
      config: asAdmin,
      schema: {
        operationId: 'addSuppression',
        summary: 'Block an address or a domain',
        description: 'A stronger reason that is there already stays.',
        tags,
        body: ref(SuppressionInput),
        response: { 200: ref(ChangedSuppression) },
      },
    },
    (req) => addSuppression(req.ctx, req.caller.workspaceId, req.body.value, changedBy(req)),
  )

  app.post(
    '/suppressions/remove',
    {
      config: asAdmin,
      schema: {
        operationId: 'removeSuppression',
        summary: 'Lift an entry',
        description: 'Leads that it stopped stay stopped. Not a block: only with `force`.',
        tags,
        body: ref(SuppressionLift),
        response: { 200: ref(LiftedSuppression) },
      },
    },
    (req) => {
      const { value, force = false, reason, since } = req.body
      const options = { force, reason, since: instantOf('/since', since) }
      return removeSuppression(req.ctx, req.caller.workspaceId, value, options, changedBy(req))
    },
  )
}
