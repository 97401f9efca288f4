import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { ref } from '../../kernel/http/schema.ts'
import { beginOidc, finishOidc, notSignedIn } from '../users/index.ts'
import { type Attempts, attempt } from './attempts.ts'
import { recordSignIn } from './enter.ts'

const OidcStart = Type.Object(
  { url: Type.String({ description: 'Where to sign in.' }) },
  {
    $id: 'OidcStart',
    description: 'The way to the provider.',
    examples: [{ url: 'https://login.example.com/auth?client_id=outrider' }],
  },
)

export const oidcSchemas = [OidcStart]

/** Signing in at a provider of OpenID Connect, where one is configured. */
export const oidcRoutes: FastifyPluginAsyncTypebox<{ attempts: Attempts }> = async (
  app,
  { attempts },
) => {
  app.post(
    '/session/oidc',
    {
      schema: {
        operationId: 'beginOidc',
        summary: 'Sign in elsewhere',
        description: 'At the provider of OpenID Connect, which sends the person back here.',
        tags: ['Sign-in'],
        response: { 200: ref(OidcStart) },
      },
    },
    // A provider that hangs is asked for ten seconds: no more at once than somebody may try.
    async (req, reply) => ({
      url: await attempt(attempts, { address: req.ip }, () => beginOidc(req, reply)),
    }),
  )

  // A page of the provider leads here, no call of the application.
  app.get('/auth/callback/oidc', { schema: { hide: true } }, async (req, reply) => {
    const finish = async () => {
      const userId = await finishOidc(req, reply)
      if (userId === undefined) throw nobodyIn
      await recordSignIn(req, reply, userId)
    }
    // Each costs a request to the provider with our secret, however often one cookie comes with it.
    await attempt(attempts, { address: req.ip, by: 'provider' }, finish).catch((error) => {
      if (error !== nobodyIn) throw error
    })
    return ''
  })
}

/** Counts as a failure; the answer is the page that says so. */
const nobodyIn = notSignedIn()
