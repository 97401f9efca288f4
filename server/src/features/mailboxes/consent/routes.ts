import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { asAdmin } from '../../../kernel/http/access.ts'
import { ref, Uuid } from '../../../kernel/http/schema.ts'
import { changedBy } from '../../audit/index.ts'
import { getManagedMailbox } from '../manage/managed-mailboxes.ts'
import { ManagedMailbox } from '../manage/schema.ts'
import { beginConsent, finishConsent } from './consent.ts'
import { adminUrlOf, consentProviders, redirectUrlOf, scopesOf } from './providers.ts'
import {
  ConsentAnswer,
  ConsentInput,
  ConsentSettings,
  ConsentStart,
  ReconnectInput,
} from './schema.ts'

const tags = ['Mailboxes']

export const consentRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/mailboxes/consent',
    {
      config: asAdmin,
      schema: {
        operationId: 'getConsentSettings',
        summary: 'Who can be asked for consent',
        description: 'And what whoever runs the server registers at the provider.',
        tags,
        response: { 200: ref(ConsentSettings) },
      },
    },
    async ({ ctx: { config } }) => ({
      redirect_url: redirectUrlOf(config),
      providers: consentProviders.map((provider) => ({
        provider,
        client_id: config.mailClients[provider]?.clientId ?? null,
        scopes: scopesOf(provider),
        admin_url: adminUrlOf(config, provider),
      })),
    }),
  )

  app.post(
    '/mailboxes/consent',
    {
      config: asAdmin,
      schema: {
        operationId: 'beginConsent',
        summary: 'Ask for the consent of a mailbox’s owner',
        description: 'At the provider, which sends them back to the page /consent.',
        tags,
        body: ref(ConsentInput),
        response: { 200: ref(ConsentStart) },
      },
    },
    async (req) => ({ url: beginConsent(req.ctx, ownerOf(req), req.body) }),
  )

  app.post(
    '/mailboxes/:id/consent',
    {
      config: asAdmin,
      schema: {
        operationId: 'beginReconnect',
        summary: 'Ask for consent anew',
        description: 'It stays the same mailbox; nothing of it is lost.',
        tags,
        params: Type.Object({ id: Uuid }),
        body: ref(ReconnectInput),
        response: { 200: ref(ConsentStart) },
      },
    },
    async (req) => {
      const { address, id: mailboxId } = await getManagedMailbox(
        req.ctx,
        req.caller.workspaceId,
        req.params.id,
      )
      const wanted = { provider: req.body.provider, address, mailboxId }
      return { url: beginConsent(req.ctx, ownerOf(req), wanted) }
    },
  )

  app.post(
    '/mailboxes/consent/finish',
    {
      // The provider is asked for the tokens.
      config: { ...asAdmin, idempotency: 'lease' },
      schema: {
        operationId: 'finishConsent',
        summary: 'Connect a mailbox by its owner’s consent',
        description: 'One that is there keeps everything but its login: 200 in place of 201.',
        tags,
        body: ref(ConsentAnswer),
        response: { 200: ref(ManagedMailbox), 201: ref(ManagedMailbox) },
      },
    },
    async (req, reply) => {
      const { id, isNew } = await finishConsent(req.ctx, ownerOf(req), req.body, changedBy(req))
      reply.code(isNew ? 201 : 200)
      return getManagedMailbox(req.ctx, req.caller.workspaceId, id)
    },
  )
}

const ownerOf = ({ caller }: FastifyRequest) => ({
  workspaceId: caller.workspaceId,
  userId: caller.actor.id,
})
