import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError, notFound } from '../../kernel/errors.ts'
import { oidcAuthOf } from './auth.ts'
import * as queries from './queries.ts'
import { authHeaders, passCookies, tokenIn } from './sessions.ts'

/** @returns where the person signs in; a cookie holds the state for ten minutes */
export async function beginOidc(req: FastifyRequest, reply: FastifyReply): Promise<string> {
  const { baseUrl, oidc } = req.process.config
  if (!oidc) {
    throw new AppError('not_ready', 'No provider is configured; sign in with your password.')
  }
  const { api } = await oidcAuthOf(req.process)
  const begin = () =>
    api.signInSocial({
      body: {
        provider: 'oidc',
        callbackURL: `${baseUrl}/`,
        errorCallbackURL: `${baseUrl}/sign-in`,
        disableRedirect: true,
      },
      headers: authHeaders(req),
      returnHeaders: true,
    })
  const { headers, response } = await begin().catch(explainSilence)
  passCookies(headers, reply)
  return String(response.url)
}

/** better-auth knows no provider whose description it could not read. */
function explainSilence(error: unknown): never {
  const { body } = error as { body?: { code?: string } }
  if (body?.code !== 'PROVIDER_NOT_FOUND') throw error
  const message = 'The provider does not answer; try again shortly, or sign in with your password.'
  throw new AppError('unavailable', message, { headers: { 'retry-after': '5' }, cause: error })
}

/**
 * Where the provider sends the person back to; from there to a page.
 *
 * @returns id of the person; undefined: nobody was let in
 */
export async function finishOidc(
  req: FastifyRequest,
  reply: FastifyReply,
): Promise<string | undefined> {
  const { baseUrl, oidc } = req.process.config
  if (!oidc) throw notFound('way to sign in')
  const { handler } = await oidcAuthOf(req.process)
  const url = new URL(req.url, baseUrl)
  const answer = await handler(new Request(url, { headers: authHeaders(req) }))
  const token = tokenIn(answer.headers)
  const page = token === '' ? explainEnd(req, answer) : '/'
  reply.code(302).header('location', new URL(page, baseUrl).href)
  const userId = token && (await queries.findUserOfSession(req.process.db, token))
  passCookies(answer.headers, reply)
  return userId || undefined
}

/** What better-auth calls a person whom nobody here has invited by this address. */
const strangers = ['account_not_linked', 'signup_disabled', 'email_not_found']

/** Only a stranger needs an invitation: who is told so because something broke asks for it in vain. */
function explainEnd({ process }: FastifyRequest, answer: Response): string {
  const location = URL.parse(answer.headers.get('location') ?? '', process.config.baseUrl)
  const error = location?.searchParams.get('error') ?? ''
  if (strangers.includes(error)) return '/sign-in?error=oidc'
  // Who pressed Cancel, came late, or is refused by a policy there is nothing that an operator has to mend.
  const level = error === 'access_denied' || error.startsWith('state_') ? 'info' : 'warn'
  const known = /^[a-z_]{1,50}$/.test(error) ? { error } : {}
  process.log[level](known, 'signing in at the provider of OpenID Connect failed')
  return '/sign-in?error=oidc-failed'
}
