import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { instantOf } from '../../kernel/http/instant.ts'
import { Nullable, ref, Uuid } from '../../kernel/http/schema.ts'
import { changedBy } from '../audit/index.ts'
import { Since, StillSuppressed, suppressionReasons } from '../suppression/index.ts'
import { undoSuppression } from './undo.ts'

const id = '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d'
const Reason = Type.Enum(suppressionReasons)

const UndoInput = Type.Object(
  {
    address: Type.String({
      minLength: 3,
      maxLength: 320,
      'x-trim': true,
      description: 'Or a domain, for everybody there.',
    }),
    unsubscribed: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Also an unsubscribe: only with a consent that you can prove.',
      }),
    ),
    since: Type.Optional(Since),
  },
  {
    $id: 'SuppressionUndoInput',
    description: 'Whose entry was a mistake.',
    additionalProperties: false,
    examples: [{ address: 'blocked@example.com', unsubscribed: false }],
  },
)

const Undone = Type.Object(
  {
    address: Type.String(),
    reason: Nullable(Reason),
    ...StillSuppressed,
    leads: Type.Array(
      Type.Object({ lead_id: Uuid, campaign_name: Type.String(), sending_state: Type.String() }),
    ),
    resting_campaigns: Type.Array(
      Type.Object({ id: Uuid, name: Type.String(), status: Type.String() }),
      { description: 'Of leads that go on, but whose campaign sends nothing.' },
    ),
  },
  {
    $id: 'UndoneSuppression',
    description: 'What the entry was, and what became of the leads that it had stopped.',
    examples: [
      {
        ...{ address: 'ann@example.com', reason: 'bounced' },
        ...{ still_suppressed: null, still_suppressed_by: null },
        leads: [{ lead_id: id, campaign_name: 'Autumn', sending_state: 'active' }],
        resting_campaigns: [],
      },
    ],
  },
)

export const undoSchemas = [UndoInput, Undone]

export const undoRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/suppressions/undo',
    {
      config: { access: { scopes: [], role: 'admin' } },
      schema: {
        operationId: 'undoSuppression',
        summary: 'Take an entry back as a mistake',
        description:
          'The leads that it stopped go on where they were, also of one that was lifted before.',
        tags: ['Suppression'],
        body: ref(UndoInput),
        response: { 200: ref(Undone) },
      },
    },
    (req) => {
      const { address, unsubscribed = false, since } = req.body
      const options = { unsubscribed, since: instantOf('/since', since) }
      return undoSuppression(req.ctx, req.caller.workspaceId, address, options, changedBy(req))
    },
  )
}
