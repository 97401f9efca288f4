import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../../kernel/http/schema.ts'
import { changedBy } from '../audit/index.ts'
import { handOver, previewHandOver } from './hand-over.ts'
import { HandOverInput, HandOverResult } from './schema.ts'

export const handOverSchemas = [HandOverInput, HandOverResult]

export const handOverRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/mailboxes/hand-over',
    {
      // Again it moves what is left.
      config: { access: { scopes: [], role: 'admin' }, idempotency: 'none' },
      schema: {
        operationId: 'handOverMailbox',
        summary: 'Let another mailbox go on with the conversations of one',
        description:
          'Leads get their follow-ups in the same thread, from the other address, which is added to the campaigns that they are in.',
        tags: ['Mailboxes'],
        body: ref(HandOverInput),
        response: { 200: ref(HandOverResult) },
      },
    },
    (req) => {
      const { preview = false, ...request } = req.body
      const { workspaceId } = req.caller
      return preview
        ? previewHandOver(req.ctx, workspaceId, request)
        : handOver(req.ctx, workspaceId, request, changedBy(req))
    },
  )
}
