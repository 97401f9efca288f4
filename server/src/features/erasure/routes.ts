import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { ref, Uuid } from '../../kernel/http/schema.ts'
import { type ErasedHere, eraseFromWorkspace } from './erase.ts'

const counts = {
  ...{ leads: 1, messages: 4, conversations: 1, answers_by_hand: 0, events: 6 },
  ...{ delivery_attempts: 6, kept_answers: 0, acquired_contacts: 0 },
} satisfies ErasedHere

const ErasedLead = Type.Object(
  Object.fromEntries(Object.keys(counts).map((name) => [name, Type.Integer()])) as Record<
    keyof ErasedHere,
    ReturnType<typeof Type.Integer>
  >,
  {
    $id: 'ErasedLead',
    description: 'How many records of each kind the person was taken out of.',
    examples: [counts],
  },
)

export const erasureSchemas = [ErasedLead]

export const erasureRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/leads/:id/erase',
    {
      // Who is written to no more stays so, also when there is more to wait for.
      config: { access: { scopes: [], role: 'admin' }, idempotency: 'lease' },
      schema: {
        operationId: 'eraseLead',
        summary: 'Erase a person',
        description:
          'From every campaign, mail, payload and answer of this workspace. What remains is a hash ' +
          'of the address, so that nobody adds it again. There is no way back.',
        tags: ['Leads'],
        params: Type.Object({ id: Uuid }),
        response: { 200: ref(ErasedLead) },
      },
    },
    (req) =>
      eraseFromWorkspace(req.ctx, req.caller.workspaceId, req.params.id, {
        ...{ actor: req.caller.actor, requestId: req.id },
      }),
  )
}
