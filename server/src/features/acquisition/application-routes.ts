import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { invalidField } from '../../kernel/errors.ts'
import type { Access, Role } from '../../kernel/http/access.ts'
import { pageRequest } from '../../kernel/http/page.ts'
import { pageQuery, ref, Uuid } from '../../kernel/http/schema.ts'
import {
  AddAcquired,
  AddedContacts,
  ContactFacets,
  CountFacets,
  CreditEntry,
  CreditEntryPage,
} from './application-schema.ts'
import { addAcquiredToCampaign, type SomeAcquired } from './campaign-leads.ts'
import { listCreditEntries } from './credits.ts'
import { countContactFacets } from './find-contacts.ts'

export const acquisitionApplicationSchemas = [
  ...[CreditEntry, CreditEntryPage, AddAcquired, AddedContacts, CountFacets, ContactFacets],
]

const tags = ['Contact acquisition']

const access = (role: Role): Access => ({
  ...{ scopes: [], role, entitlement: 'acquisition', refusal: 'entitlement_required' },
})

/** What of contacts only people do. */
export const acquisitionApplicationRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/credits',
    {
      config: { access: access('viewer') },
      schema: {
        operationId: 'listCreditEntries',
        summary: 'List what credits came and went for',
        description: 'Newest first.',
        tags,
        querystring: Type.Object(pageQuery),
        response: { 200: ref(CreditEntryPage) },
      },
    },
    (req) => listCreditEntries(req.ctx, req.caller.workspaceId, pageRequest(req.query)),
  )

  app.post(
    '/contacts/facets',
    {
      // As a search: it reads and changes nothing, and counts against the same limit.
      config: { access: { ...access('viewer'), window: 'acquisition' }, idempotency: 'none' },
      schema: {
        operationId: 'countContactFacets',
        summary: 'Count contacts by the values of filters',
        description: 'Free, as a search is.',
        tags,
        body: ref(CountFacets),
        response: { 200: ref(ContactFacets) },
      },
    },
    ({ ctx, caller, body }) => countContactFacets(ctx, caller.workspaceId, body),
  )

  app.post(
    '/campaigns/:id/add-acquired',
    {
      // A list may have many thousands: each thousand is a transaction of its own.
      config: { access: access('member'), idempotency: 'lease' },
      schema: {
        operationId: 'addAcquired',
        summary: 'Add acquired contacts to a campaign',
        description:
          'As leads. Who is suppressed or asked to be removed is left out; what is in the campaign stays as it is, so it may be asked for again.',
        tags,
        params: Type.Object({ id: Uuid }),
        body: ref(AddAcquired),
        response: { 200: ref(AddedContacts) },
      },
    },
    ({ ctx, caller, params, body }) =>
      addAcquiredToCampaign(ctx, caller.workspaceId, {
        campaign_id: params.id,
        ...contactsOf(body),
      }),
  )
}

function contactsOf({ list_id, contact_ids }: AddAcquired): SomeAcquired {
  if (list_id !== undefined && contact_ids === undefined) return { list_id }
  if (contact_ids !== undefined && list_id === undefined) return { contact_ids }
  throw invalidField('/list_id', 'Name either list_id or contact_ids.')
}
