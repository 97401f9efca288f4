import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { AppError, notFound } from '../../../kernel/errors.ts'
import { ref } from '../../../kernel/http/schema.ts'
import { readToken } from './address.ts'
import { inReceiver, receive, windowSeconds } from './receive.ts'
import { TryOutAddress, TryOutReceiver } from './schema.ts'
import { createTryOut, getTryOut } from './try-outs.ts'

const tags = ['Webhooks']
const entitlement = 'webhooks'
const params = Type.Object({ token: Type.String({ maxLength: 100 }) })
/** Twice the largest delivery. */
const bodyBytesMax = 128 * 1024

export const tryOutRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/webhooks/try',
    {
      config: { access: { scopes: [], role: 'admin', entitlement } },
      schema: {
        operationId: 'createTryOut',
        summary: 'Make a receiver for trying out',
        description: 'An address that a webhook can send to for an hour, to see what arrives.',
        tags,
        response: { 201: ref(TryOutAddress) },
      },
    },
    async (req, reply) => {
      reply.code(201)
      return createTryOut(req.ctx, req.caller.workspaceId)
    },
  )

  app.get(
    '/webhooks/try/:token',
    {
      config: { access: { scopes: [], role: 'viewer', entitlement } },
      schema: {
        operationId: 'getTryOut',
        summary: 'What has arrived at a receiver for trying out',
        tags,
        params,
        response: { 200: ref(TryOutReceiver) },
      },
    },
    (req) => getTryOut(req.ctx, req.caller.workspaceId, req.params.token),
  )

  await app.register(receiverRoute)
}

/** Where programs of others send to, without a session: whoever knows the address may. */
const receiverRoute: FastifyPluginAsyncTypebox = async (app) => {
  app.removeAllContentTypeParsers()
  // As it came: the signature is over its bytes.
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_req: unknown, body: Buffer) => body)
  app.post(
    '/try/:token',
    { bodyLimit: bodyBytesMax, schema: { hide: true, params } },
    async (req, reply) => {
      const tryOut = readToken(req.process, req.params.token)
      if (!tryOut) throw notFound('try-out receiver')
      const headers = Object.fromEntries(
        Object.entries(req.headers).map(([name, value]) => [name, String(value)]),
      )
      const body = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0)
      const own = await inReceiver(req.process, tryOut)
      const { status, text } = await receive(own, tryOut, headers, body)
      if (status === 410) throw notFound('try-out receiver')
      if (status === 429) {
        throw new AppError('rate_limited', text, {
          headers: { 'retry-after': String(windowSeconds) },
        })
      }
      return reply.code(200).send({ received: true })
    },
  )
}
