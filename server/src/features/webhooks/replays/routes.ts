import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { dayMs } from '../../../kernel/durations.ts'
import { invalidField } from '../../../kernel/errors.ts'
import { instantOf } from '../../../kernel/http/instant.ts'
import { Nullable, ref, Timestamp, Uuid } from '../../../kernel/http/schema.ts'
import { changedBy } from '../../audit/index.ts'
import { dismissMissed } from '../missed-periods.ts'
import { Webhook } from '../schema.ts'
import { countMissed, countWindow, type Selection, startReplay } from './start-replay.ts'

const time = (description: string) =>
  Type.String({ maxLength: 40, 'x-document': { format: 'date-time' }, description })

const WebhookReplayInput = Type.Object(
  {
    webhook_event_id: Type.Optional(
      Type.Unsafe<string>({
        ...Uuid,
        description: 'The delivery that this attempt was of; without a window.',
      }),
    ),
    from: Type.Optional(time('Events not before this, ISO 8601.')),
    to: Type.Optional(time('Events before this, ISO 8601; now when left out.')),
    ended_from: Type.Optional(
      time('With `from`: what ended without success since then, too, of events before `from`.'),
    ),
  },
  {
    $id: 'WebhookReplayInput',
    description: 'What to deliver again: one delivery, or the events of a window.',
    additionalProperties: false,
    examples: [{ webhook_event_id: '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d' }],
  },
)

const WebhookReplay = Type.Object(
  { deliveries: Type.Integer({ description: 'How many.' }) },
  {
    $id: 'WebhookReplay',
    description: 'How much a replay delivers.',
    examples: [{ deliveries: 132 }],
  },
)

const counted = {
  deliveries: Type.Integer({ description: 'How many.' }),
  is_estimate: Type.Boolean({ description: 'There are at least as many: its time was over.' }),
}

const WebhookReplayCount = Type.Object(counted, {
  $id: 'WebhookReplayCount',
  description: 'How much a replay would deliver.',
  examples: [{ deliveries: 132, is_estimate: false }],
})

const MissedEvents = Type.Object(
  {
    ...counted,
    from: Nullable(
      Type.Unsafe<Date>({
        ...Timestamp,
        description: 'Since when nothing was made for it; null where nothing is to be replayed.',
      }),
    ),
    to: Nullable(
      Type.Unsafe<Date>({
        ...Timestamp,
        description: 'Until when, of one that goes on; null of a disabled one.',
      }),
    ),
    ended_from: Nullable(
      Type.Unsafe<Date>({
        ...Timestamp,
        description: 'Since when deliveries ended without success.',
      }),
    ),
  },
  {
    $id: 'MissedEvents',
    description: 'What a webhook has missed. The times are those of the replay that delivers it.',
    examples: [
      {
        deliveries: 132,
        is_estimate: false,
        from: '2026-11-20T09:37:00.123Z',
        to: null,
        ended_from: '2026-11-15T09:30:00.123Z',
      },
    ],
  },
)

const MissedEventsInput = Type.Object(
  {
    from: time('The `from` of what was missed.'),
    dismissed: Type.Boolean({ description: 'Whether it is offered no more.' }),
  },
  {
    $id: 'MissedEventsInput',
    description: 'Whether what a webhook has missed is still to be replayed.',
    additionalProperties: false,
    examples: [{ from: '2026-11-20T09:37:00.123Z', dismissed: true }],
  },
)

export const webhookReplaySchemas = [
  MissedEventsInput,
  WebhookReplayInput,
  WebhookReplay,
  WebhookReplayCount,
  MissedEvents,
]

const tags = ['Webhooks']
const params = Type.Object({ id: Uuid })
/** Of counting: all events of a window are read, however few match. */
const countMs = 1_000
const entitlement = 'webhooks'

export const webhookReplayRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/webhooks/:id/replay',
    {
      config: { access: { scopes: [], role: 'viewer', entitlement } },
      schema: {
        operationId: 'countWebhookReplay',
        summary: 'How much a replay would deliver',
        description: 'Counts to 100,001, more cannot be replayed at once, and for about a second.',
        tags,
        params,
        querystring: Type.Object({
          from: Type.Optional(time('Events not before this; a day ago when left out.')),
          to: Type.Optional(time('Events before this; now when left out.')),
        }),
        response: { 200: ref(WebhookReplayCount) },
      },
    },
    async ({ ctx, caller, params, query }) => {
      const window = windowOf(query, ctx.now(), '')
      const found = await countWindow(ctx, caller.workspaceId, params.id, window, countMs)
      return { deliveries: found.count, is_estimate: found.isEstimate }
    },
  )

  app.get(
    '/webhooks/:id/missed',
    {
      config: { access: { scopes: [], role: 'viewer', entitlement } },
      schema: {
        operationId: 'countMissedEvents',
        summary: 'What a webhook has missed while it was disabled',
        description:
          'Every event since it was disabled, and what ended without success since it failed; of one that goes on, what nobody has replayed yet. Counts to 100,001, and for about a second.',
        tags,
        params,
        response: { 200: ref(MissedEvents) },
      },
    },
    ({ ctx, caller, params }) => countMissed(ctx, caller.workspaceId, params.id, countMs),
  )

  app.patch(
    '/webhooks/:id/missed',
    {
      config: { access: { scopes: [], role: 'admin', entitlement } },
      schema: {
        operationId: 'dismissMissedEvents',
        summary: 'Offer what a webhook has missed no more, or again',
        description:
          'Of one that goes on. Its events stay stored, and a replay of a window delivers them all the same.',
        tags,
        params,
        body: ref(MissedEventsInput),
        response: { 200: ref(Webhook) },
      },
    },
    (req) => {
      const { from, dismissed } = req.body
      const change = { from: instantOf('/from', from), dismissed }
      return dismissMissed(req.ctx, req.caller.workspaceId, req.params.id, change, changedBy(req))
    },
  )

  app.post(
    '/webhooks/:id/replay',
    {
      config: { access: { scopes: [], role: 'admin', entitlement }, idempotency: 'lease' },
      schema: {
        operationId: 'replayWebhook',
        summary: 'Deliver again',
        description:
          'The same events under their ids, to the address that the webhook has now. At most 100,000 at once, together with what still waits for it.',
        tags,
        params,
        body: ref(WebhookReplayInput),
        response: { 200: ref(WebhookReplay) },
      },
    },
    async (req) => {
      const { ctx, caller, params, body } = req
      const selection = selectionOf(body, ctx.now())
      const by = changedBy(req)
      return { deliveries: await startReplay(ctx, caller.workspaceId, params.id, selection, by) }
    },
  )
}

function selectionOf(body: Static<typeof WebhookReplayInput>, now: Date): Selection {
  const { webhook_event_id: attemptId, from, to, ended_from } = body
  if (attemptId === undefined && from !== undefined) {
    return { ...windowOf({ from, to }, now, '/'), endedFrom: timeOfIds('/ended_from', ended_from) }
  }
  const isAlone = from === undefined && to === undefined && ended_from === undefined
  if (attemptId !== undefined && isAlone) return { attemptId }
  throw invalidField('/from', 'send either webhook_event_id or from, with or without to')
}

/** @param root of the paths that `details` name: `/` in a body, nothing in a query */
function windowOf(
  given: { from?: string | undefined; to?: string | undefined },
  now: Date,
  root: '/' | '',
): { from: Date; to: Date } {
  const to = timeOfIds(`${root}to`, given.to) ?? now
  const from = timeOfIds(`${root}from`, given.from) ?? new Date(to.getTime() - dayMs)
  if (from < to) return { from, to }
  throw invalidField(`${root}from`, 'from must be before to')
}

function timeOfIds(path: string, text: string | undefined) {
  const instant = instantOf(path, text)
  if (!instant || instant.getTime() >= 0) return instant
  throw invalidField(path, `${path.replace('/', '')} must be a time since 1970`)
}
