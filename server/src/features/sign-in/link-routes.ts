import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { invalidFields } from '../../kernel/errors.ts'
import { ref } from '../../kernel/http/schema.ts'
import {
  acceptAsNewUser,
  acceptAsUser,
  getInvitation,
  hasAccount,
  signInFirst,
} from '../members/index.ts'
import { findSession, resetPassword } from '../users/index.ts'
import { type Attempts, attempt } from './attempts.ts'
import { enter } from './enter.ts'
import { Acceptance, LinkToken, NewPasswordInput, ReceivedInvitation } from './link-schema.ts'
import { recordOwn } from './record.ts'
import { SignInAnswer } from './schema.ts'

const tags = ['Sign-in']

/**
 * What the holder of a one-time link may do, signed in or not. The token is in the body: addresses are in
 * the logs of proxies.
 */
export const linkRoutes: FastifyPluginAsyncTypebox<{ attempts: Attempts }> = async (
  app,
  { attempts },
) => {
  const guarded = <T>(req: FastifyRequest, work: () => Promise<T>) =>
    attempt(attempts, { address: req.ip }, work)

  app.post(
    '/invitations/received',
    {
      schema: {
        operationId: 'getInvitation',
        summary: 'Look at an invitation',
        description: 'By the token of its link.',
        tags,
        body: ref(LinkToken),
        response: { 200: ref(ReceivedInvitation) },
      },
    },
    (req) =>
      guarded(req, async () => {
        const invitation = await getInvitation(req.process, req.body.token)
        const { workspace_name, workspace_handle, email, role } = invitation
        return {
          ...{ workspace_name, workspace_handle, email, role: role as 'viewer' },
          has_account: await hasAccount(req.process, email),
        }
      }),
  )

  app.post(
    '/invitations/accept',
    {
      schema: {
        operationId: 'acceptInvitation',
        summary: 'Accept an invitation',
        description:
          'With a name and a password it makes the account and signs in; an address that has an ' +
          'account signs in first and sends nothing.',
        tags,
        body: ref(Acceptance),
        response: { 200: ref(SignInAnswer) },
      },
    },
    (req, reply) =>
      guarded(req, async () => {
        const { token } = req.body
        const { email } = await getInvitation(req.process, token)
        if (await hasAccount(req.process, email)) {
          const session = await findSession(req)
          if (session?.user.email !== email) throw signInFirst()
          await acceptAsUser(req.process, token, session.user, req.id)
          return { second_factor: false }
        }
        const account = newAccount(req.body)
        await acceptAsNewUser(req.process, token, account, req.id)
        const { password } = account
        return enter(req, reply, { email, password })
      }),
  )

  app.post(
    '/password-reset',
    {
      schema: {
        operationId: 'resetPassword',
        summary: 'Set a new password',
        description:
          'Every session of the person ends, and this browser is signed in; the second factor stays.',
        tags,
        body: ref(NewPasswordInput),
        response: { 200: ref(SignInAnswer) },
      },
    },
    async (req, reply) => {
      const { token, password } = req.body
      const { email } = await guarded(req, () =>
        resetPassword(req.process, token, password, (tx, userId) =>
          recordOwn(req, userId, 'user.reset_password', tx),
        ),
      )
      return enter(req, reply, { email, password })
    },
  )
}

function newAccount({ name, password }: { name?: string; password?: string }) {
  if (name !== undefined && password !== undefined) return { name, password }
  const missing = Object.entries({ name, password }).filter(([, value]) => value === undefined)
  throw invalidFields(
    missing.map(([field]) => ({ path: `/${field}`, message: `${field} is required` })),
  )
}
