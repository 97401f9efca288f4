import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { pageRequest } from '../../kernel/http/page.ts'
import { pageQuery, ref, Uuid } from '../../kernel/http/schema.ts'
import { changedBy } from '../audit/index.ts'
import { createCampaign, getCampaign, listCampaigns } from './campaigns.ts'
import { editedBy } from './edited-by.ts'
import { omitNestedNulls } from './nested-nulls.ts'
import { CampaignSchedule, CampaignScheduleInput } from './schedule/schedule-schema.ts'
import { Campaign, CampaignChanges, CampaignInput, CampaignPage } from './schema.ts'
import { CampaignSequence, CampaignSequenceInput } from './sequence/sequence-schema.ts'
import { updateCampaign } from './update-campaign.ts'

export const campaignSchemas = [
  CampaignSchedule,
  CampaignSequence,
  Campaign,
  CampaignPage,
  CampaignScheduleInput,
  CampaignSequenceInput,
  CampaignInput,
  CampaignChanges,
]

const tags = ['Campaigns']
const entitlement = 'api'
const params = Type.Object({ id: Uuid })

const text = (description: string) =>
  Type.Optional(
    Type.String({ maxLength: 255, pattern: '^[^\\u0000]*$', 'x-trim': true, description }),
  )

const preValidation = async (req: FastifyRequest) => omitNestedNulls(req.body)

export const campaignRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/api/v2/campaigns',
    {
      config: { access: { scopes: ['campaigns:read'], entitlement } },
      schema: {
        operationId: 'listCampaigns',
        summary: 'List campaigns',
        description:
          'Newest first. Where campaigns have very long texts a page ends before `limit`: the next ' +
          'one is there as long as `next_starting_after` is.',
        tags,
        querystring: Type.Object({
          ...pageQuery,
          status: text('Only campaigns of this status.'),
          search: text('Only campaigns with this text in their name, in any case.'),
        }),
        response: { 200: ref(CampaignPage) },
      },
    },
    (req) => listCampaigns(req.ctx, req.caller.workspaceId, pageRequest(req.query), req.query),
  )

  app.post(
    '/api/v2/campaigns',
    {
      config: { access: { scopes: ['campaigns:create'], entitlement } },
      preValidation,
      schema: {
        operationId: 'createCampaign',
        summary: 'Create a campaign',
        description:
          'Makes a draft, which never sends. Activate it with `PATCH {"status": "active"}`.',
        tags,
        body: ref(CampaignInput),
        response: { 201: ref(Campaign) },
      },
    },
    async (req, reply) => {
      reply.code(201)
      return createCampaign(req.ctx, req.caller.workspaceId, req.body, changedBy(req))
    },
  )

  app.get(
    '/api/v2/campaigns/:id',
    {
      config: { access: { scopes: ['campaigns:read'], entitlement } },
      schema: {
        operationId: 'getCampaign',
        summary: 'Read a campaign',
        tags,
        params,
        response: { 200: ref(Campaign) },
      },
    },
    (req) => getCampaign(req.ctx, req.caller.workspaceId, req.params.id),
  )

  app.patch(
    '/api/v2/campaigns/:id',
    {
      config: { access: { scopes: ['campaigns:update'], entitlement } },
      preValidation,
      schema: {
        operationId: 'updateCampaign',
        summary: 'Update, start or pause a campaign',
        description:
          'Changes only the fields given, each as a whole, lists too; null clears a limit. ' +
          'All of a request is applied, the fields before the status, or on an error nothing. ' +
          '`status` may go from `draft`, `paused` or `completed` (once leads were added) to ' +
          '`active`, and from `active` to `paused`; anything else is a 409 `invalid_transition`. ' +
          'So is `active` in a whole record that was read before the campaign was paused: ' +
          'send `status` without `status_reason` and `sending_status` to start it. ' +
          'A campaign that is activated with leads of which none is left to write to is `completed` ' +
          'at once. ' +
          'Activation is a 409 `not_ready`, with every problem in `details`, without a step, ' +
          'an enabled variant, a text in each of those and a connected mailbox, when the ' +
          'schedule is over, or when it needs links and the service has no public https address ' +
          'for them. ' +
          'Changes of an active campaign apply to mails not yet sent; those of `sequences`, and of ' +
          'settings that need links, with which it could not be started are a 409 `not_ready`, too. An ' +
          '`email_list` without a connected mailbox and a schedule that is over are not: the campaign ' +
          'stays active and waits, as `sending_status` says. ' +
          'New `sequences` let leads go on whose mail could not be made.',
        tags,
        params,
        body: ref(CampaignChanges),
        response: { 200: ref(Campaign) },
      },
    },
    (req) =>
      updateCampaign(req.ctx, req.caller.workspaceId, req.params.id, req.body, editedBy(req)),
  )
}
