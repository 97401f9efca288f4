import type { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { asAdmin, asViewer } from '../../../kernel/http/access.ts'
import { pageRequest } from '../../../kernel/http/page.ts'
import { pageQuery, ref, Uuid } from '../../../kernel/http/schema.ts'
import { changedBy } from '../../audit/index.ts'
import { refuseWhileHeld } from '../../sending/index.ts'
import {
  addMailbox,
  pauseMailbox,
  removeMailbox,
  resumeMailbox,
  updateMailbox,
} from '../mailboxes.ts'
import { MailboxChange, MailboxInput } from '../schema.ts'
import { checkMailboxDns } from './dns.ts'
import {
  getMailboxUse,
  getManagedMailbox,
  listManagedMailboxes,
  listRemovedMailboxes,
} from './managed-mailboxes.ts'
import {
  MailboxDns,
  MailboxPage,
  MailboxSuggestion,
  MailboxTestLine,
  MailboxUse,
  ManagedMailbox,
  RemovedMailboxPage,
} from './schema.ts'
import { streamTest } from './stream-test.ts'
import { suggestServers } from './suggest.ts'

const tags = ['Mailboxes']
const params = Type.Object({ id: Uuid })

const search = Type.String({ minLength: 1, maxLength: 320, description: 'In address and name.' })
const status = Type.Enum(['connected', 'error', 'paused'])
const address = Type.String({ minLength: 3, maxLength: 320, description: 'An e-mail address.' })

export const mailboxRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/mailboxes',
    {
      config: asViewer,
      schema: {
        operationId: 'listMailboxes',
        summary: 'List mailboxes',
        description: 'Newest first, with what each has sent today.',
        tags,
        querystring: Type.Object({
          ...pageQuery,
          search: Type.Optional(search),
          status: Type.Optional(status),
        }),
        response: { 200: ref(MailboxPage) },
      },
    },
    ({ ctx, caller, query }) =>
      listManagedMailboxes(ctx, caller.workspaceId, pageRequest(query), {
        ...{ search: query.search, status: query.status },
      }),
  )

  app.get(
    '/mailboxes/suggest',
    {
      config: asViewer,
      schema: {
        operationId: 'suggestMailbox',
        summary: 'Find the provider of an address',
        description: 'By the mail servers of its domain.',
        tags,
        querystring: Type.Object({ address }),
        response: { 200: ref(MailboxSuggestion) },
      },
    },
    ({ ctx, caller, query }) => suggestServers(ctx, caller.workspaceId, query.address),
  )

  app.get(
    '/mailboxes/removed',
    {
      config: asAdmin,
      schema: {
        operationId: 'listRemovedMailboxes',
        summary: 'List removed mailboxes',
        description: 'Newest first; those that conversations are in, which can be handed over.',
        tags,
        querystring: Type.Object(pageQuery),
        response: { 200: ref(RemovedMailboxPage) },
      },
    },
    ({ ctx, caller, query }) => listRemovedMailboxes(ctx, caller.workspaceId, pageRequest(query)),
  )

  app.get(
    '/mailboxes/:id',
    {
      config: asViewer,
      schema: {
        operationId: 'getMailbox',
        summary: 'Get a mailbox',
        description: 'With its servers, and without what opens them.',
        tags,
        params,
        response: { 200: ref(ManagedMailbox) },
      },
    },
    ({ ctx, caller, params: { id } }) => getManagedMailbox(ctx, caller.workspaceId, id),
  )

  app.get(
    '/mailboxes/:id/use',
    {
      config: asViewer,
      schema: {
        operationId: 'getMailboxUse',
        summary: 'Who sends from a mailbox',
        description: 'Its campaigns, and the leads that wait for a follow-up from it.',
        tags,
        params,
        response: { 200: ref(MailboxUse) },
      },
    },
    ({ ctx, caller, params: { id } }) => getMailboxUse(ctx, caller.workspaceId, id),
  )

  app.get(
    '/mailboxes/:id/dns',
    {
      config: asViewer,
      schema: {
        operationId: 'checkMailboxDns',
        summary: 'Check the domain of a mailbox',
        description: 'SPF, DKIM, DMARC and the address of links, with the records to add.',
        tags,
        params,
        response: { 200: ref(MailboxDns) },
      },
    },
    ({ ctx, caller, params: { id } }) => checkMailboxDns(ctx, caller.workspaceId, id),
  )

  app.post(
    '/mailboxes',
    {
      config: asAdmin,
      schema: {
        operationId: 'addMailbox',
        summary: 'Add a mailbox',
        description: 'Its servers are not contacted yet. One that was removed is the same again.',
        tags,
        body: ref(MailboxInput),
        response: { 201: ref(ManagedMailbox) },
      },
    },
    async (req, reply) => {
      const { ctx, caller, body } = req
      const { id } = await addMailbox(ctx, caller.workspaceId, body, changedBy(req))
      reply.code(201)
      return getManagedMailbox(ctx, caller.workspaceId, id)
    },
  )

  app.patch(
    '/mailboxes/:id',
    {
      config: asAdmin,
      schema: {
        operationId: 'updateMailbox',
        summary: 'Change a mailbox',
        description: 'Another host needs the password again. Other servers are tried at once.',
        tags,
        params,
        body: ref(MailboxChange),
        response: { 200: ref(ManagedMailbox) },
      },
    },
    async (req) => {
      const { ctx, caller, params, body } = req
      await updateMailbox(ctx, caller.workspaceId, params.id, body, changedBy(req))
      return getManagedMailbox(ctx, caller.workspaceId, params.id)
    },
  )

  app.delete(
    '/mailboxes/:id',
    {
      config: asAdmin,
      schema: {
        operationId: 'removeMailbox',
        summary: 'Remove a mailbox',
        description:
          'Its logins are gone for good; its conversations wait until it is added again.',
        tags,
        params,
        response: { 200: ref(ManagedMailbox) },
      },
    },
    async (req) => {
      const { ctx, caller, params } = req
      const mailbox = await getManagedMailbox(ctx, caller.workspaceId, params.id)
      await removeMailbox(ctx, caller.workspaceId, params.id, changedBy(req))
      return mailbox
    },
  )

  for (const [verb, change, summary, description] of [
    ['pause', pauseMailbox, 'Pause a mailbox', 'Nothing is sent from it and nothing is read.'],
    ['resume', resumeMailbox, 'Resume a mailbox', 'Also after an error: it is tried at once.'],
  ] as const) {
    app.post(
      `/mailboxes/:id/${verb}`,
      {
        config: asAdmin,
        schema: {
          operationId: `${verb}Mailbox`,
          summary,
          description,
          tags,
          params,
          response: { 200: ref(ManagedMailbox) },
        },
      },
      async (req) => {
        const { ctx, caller, params } = req
        await change(ctx, caller.workspaceId, params.id, changedBy(req))
        return getManagedMailbox(ctx, caller.workspaceId, params.id)
      },
    )
  }

  app.post(
    '/mailboxes/:id/test',
    {
      config: { ...asAdmin, idempotency: 'none' },
      schema: {
        operationId: 'testMailbox',
        summary: 'Test a mailbox',
        description:
          'Logs in to both servers, sends one mail to itself and waits for it. Beyond 4 of a workspace ' +
          'at once in an API process, 429 `rate_limited`.',
        tags,
        params,
        response: {
          200: {
            description: 'A line of JSON for each step, as soon as it is over.',
            content: {
              'application/x-ndjson': { schema: Type.Unsafe<Readable>(ref(MailboxTestLine)) },
            },
          },
        },
      },
    },
    async (req, reply) => {
      // One that is not there is a 404, and no stream.
      const { id } = await getManagedMailbox(req.ctx, req.caller.workspaceId, req.params.id)
      await refuseWhileHeld(req.ctx)
      const lines = streamTest(req.ctx, req.caller.workspaceId, id)
      return reply.type('application/x-ndjson').send(lines)
    },
  )
}
