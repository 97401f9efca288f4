import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Access } from '../../kernel/http/access.ts'
import { pageRequest } from '../../kernel/http/page.ts'
import { pageQuery, ref, Uuid } from '../../kernel/http/schema.ts'
import { acquireEmail } from './acquire-email.ts'
import { getAcquiredCompany } from './companies.ts'
import { getBalance } from './credits.ts'
import { findContacts } from './find-contacts.ts'
import { FindContacts, FoundContact, FoundContactPage } from './find-schema.ts'
import { listContacts, listLists } from './lists.ts'
import {
  AcquiredCompany,
  AcquiredContact,
  AcquiredContactPage,
  AcquiredEmail,
  AcquireEmail,
  AcquireList,
  AcquireListPage,
  Balance,
  RevealedContact,
} from './schema.ts'

export const acquisitionSchemas = [
  FindContacts,
  FoundContact,
  FoundContactPage,
  AcquireEmail,
  AcquiredEmail,
  Balance,
  AcquireList,
  AcquireListPage,
  AcquiredContact,
  AcquiredContactPage,
  RevealedContact,
  AcquiredCompany,
]

const tags = ['Contact acquisition']

/** By the workspace's entitlement; metered apart from the rest of the API (contract §2). */
const access = (optionalScope: string): Access => ({
  scopes: [],
  optionalScopes: [optionalScope],
  entitlement: 'acquisition',
  refusal: 'entitlement_required',
  window: 'acquisition',
})

export const acquisitionRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/api/v1/leadbank/find',
    {
      config: { access: access('leadbank:read') },
      schema: {
        operationId: 'findContacts',
        summary: 'Search for contacts',
        description:
          'Free. Filters are combined; without any, the newest contacts. An address is never in ' +
          'the answer. No match does not prove that a person does not exist.',
        tags,
        querystring: Type.Object(pageQuery),
        body: ref(FindContacts),
        response: { 200: ref(FoundContactPage) },
      },
    },
    (req) => findContacts(req.ctx, req.caller.workspaceId, req.body, pageRequest(req.query)),
  )

  app.post(
    '/api/v1/leadbank/acquire_email',
    {
      config: { access: access('leadbank:create'), idempotency: 'lease' },
      schema: {
        operationId: 'acquireEmail',
        summary: "Reveal a contact's work e-mail address",
        description:
          'Costs one credit when an address is found, once per workspace and contact: asking again ' +
          'is free and answers the same. `not_found` costs nothing. Without credits: 429 ' +
          '`insufficient_credits`. 409 `not_eligible` when `has_email` is false or the person asked ' +
          'to be removed.',
        tags,
        body: ref(AcquireEmail),
        response: { 200: ref(AcquiredEmail) },
      },
    },
    (req) => acquireEmail(req.ctx, req.caller.workspaceId, req.body, req.id),
  )

  app.get(
    '/api/v1/leadbank/balance/get',
    {
      config: { access: access('leadbank:read') },
      schema: {
        operationId: 'getAcquisitionBalance',
        summary: 'Read the balance of credits',
        tags,
        response: { 200: ref(Balance) },
      },
    },
    (req) => getBalance(req.ctx, req.caller.workspaceId),
  )

  app.get(
    '/api/v1/leadbank/acquire-lists',
    {
      config: { access: access('leadbank:read') },
      schema: {
        operationId: 'listAcquireLists',
        summary: 'List acquisition lists',
        tags,
        querystring: Type.Object(pageQuery),
        response: { 200: ref(AcquireListPage) },
      },
    },
    (req) => listLists(req.ctx, req.caller.workspaceId, pageRequest(req.query)),
  )

  app.get(
    '/api/v1/leadbank/acquire-lists/:list_id/leads',
    {
      config: { access: access('leadbank:read') },
      schema: {
        operationId: 'listAcquiredContacts',
        summary: 'List the contacts of an acquisition list',
        description: 'With their addresses; the one entered last comes first.',
        tags,
        params: Type.Object({ list_id: Uuid }),
        querystring: Type.Object(pageQuery),
        response: { 200: ref(AcquiredContactPage) },
      },
    },
    (req) =>
      listContacts(req.ctx, req.caller.workspaceId, req.params.list_id, pageRequest(req.query)),
  )

  app.get(
    '/leadbank/api/v1/company/:company_id',
    {
      config: { access: access('leadbank:read') },
      schema: {
        operationId: 'getAcquiredCompany',
        summary: 'Read the company of acquired contacts',
        description: 'A company of which the workspace acquired nobody is a 404.',
        tags,
        params: Type.Object({ company_id: Uuid }),
        response: { 200: ref(AcquiredCompany) },
      },
    },
    (req) => getAcquiredCompany(req.ctx, req.caller.workspaceId, req.params.company_id),
  )
}
