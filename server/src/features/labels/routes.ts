import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { asAdmin, asViewer } from '../../kernel/http/access.ts'
import { Nullable, ref, Timestamp, Uuid } from '../../kernel/http/schema.ts'
import { changedBy } from '../audit/index.ts'
import { archiveLabel, createLabel, updateLabel } from './labels.ts'
import { listLabels } from './queries.ts'
import { labelEffects, labelSentiments } from './record.ts'

const time = '2026-11-20T09:37:00.123Z'

const Effect = Type.Enum(labelEffects, {
  description: 'What setting it does to a lead that is still written to.',
})
const Sentiment = Type.Enum(labelSentiments)

const fields = { name: Type.String({ maxLength: 1024 }), effect: Effect, sentiment: Sentiment }

const Label = Type.Object(
  {
    id: Uuid,
    ...fields,
    value: Type.String({ description: 'What integrations know it by; it never changes.' }),
    timestamp_created: Timestamp,
    timestamp_updated: Timestamp,
    timestamp_archived: Nullable(Timestamp),
  },
  {
    $id: 'Label',
    description: 'A label of interest that this workspace has of its own.',
    examples: [
      {
        ...{ id: '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d', name: 'Call back', value: 'call_back' },
        ...{ effect: 'pause', sentiment: 'positive' },
        ...{ timestamp_created: time, timestamp_updated: time, timestamp_archived: null },
      },
    ],
  },
)

const LabelList = Type.Object(
  { items: Type.Array(Type.Unsafe<Static<typeof Label>>({ $ref: 'Label#' })) },
  { $id: 'LabelList', description: 'Newest first.' },
)

const closed = { additionalProperties: false }

const LabelInput = Type.Object(
  { name: fields.name, effect: Type.Optional(Effect), sentiment: Type.Optional(Sentiment) },
  {
    $id: 'LabelInput',
    description: 'The name of an archived label brings that one back, as it was.',
    examples: [{ name: 'Referred', effect: 'none', sentiment: 'positive' }],
    ...closed,
  },
)

const LabelChange = Type.Partial(Type.Object(fields), {
  $id: 'LabelChange',
  description: 'Only what is given changes.',
  examples: [{ effect: 'stop' }],
  ...closed,
})

export const labelSchemas = [Label, LabelList, LabelInput, LabelChange]

const tags = ['Labels']
const params = Type.Object({ id: Uuid })

export const labelRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/labels',
    {
      config: asViewer,
      schema: {
        operationId: 'listLabels',
        summary: 'List labels',
        description: 'Those that can be set, newest first.',
        tags,
        querystring: Type.Object({
          archived: Type.Optional(
            Type.Boolean({ description: 'Also those that can no longer be set.' }),
          ),
        }),
        response: { 200: ref(LabelList) },
      },
    },
    async ({ ctx, caller, query }) => ({
      items: await listLabels(ctx.db, caller.workspaceId, query),
    }),
  )

  app.post(
    '/labels',
    {
      config: asAdmin,
      schema: {
        operationId: 'createLabel',
        summary: 'Create a label',
        description: 'Or bring back an archived one of this name.',
        tags,
        body: ref(LabelInput),
        response: { 201: ref(Label) },
      },
    },
    async (req, reply) => {
      reply.code(201)
      return createLabel(req.ctx, req.caller.workspaceId, req.body, changedBy(req))
    },
  )

  app.patch(
    '/labels/:id',
    {
      config: asAdmin,
      schema: {
        operationId: 'updateLabel',
        summary: 'Change a label',
        description: 'Another effect holds for leads that are given the label from now on.',
        tags,
        params,
        body: ref(LabelChange),
        response: { 200: ref(Label) },
      },
    },
    (req) => updateLabel(req.ctx, req.caller.workspaceId, req.params.id, req.body, changedBy(req)),
  )

  app.delete(
    '/labels/:id',
    {
      config: asAdmin,
      schema: {
        operationId: 'archiveLabel',
        summary: 'Archive a label',
        description: 'It can no longer be set; leads and webhooks that have it keep it.',
        tags,
        params,
        response: { 200: ref(Label) },
      },
    },
    (req) => archiveLabel(req.ctx, req.caller.workspaceId, req.params.id, changedBy(req)),
  )
}
