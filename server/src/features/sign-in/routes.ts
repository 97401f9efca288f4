import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../../kernel/http/schema.ts'
import {
  enterSecondFactor,
  findHalfSignIn,
  foldEmail,
  refreshSession,
  signOut,
} from '../users/index.ts'
import { type Attempts, attempt, type Trying } from './attempts.ts'
import { enter, recordSignIn } from './enter.ts'
import { SecondFactorInput, SessionState, SetUpInput, SignInAnswer, SignInInput } from './schema.ts'
import { describeSession } from './session-state.ts'
import { setUp } from './set-up.ts'

export const signInSchemas = [
  SetUpInput,
  SignInInput,
  SecondFactorInput,
  SignInAnswer,
  SessionState,
]

const tags = ['Sign-in']

/** Open to everybody: the way to a session, and out of it. */
export const signInRoutes: FastifyPluginAsyncTypebox<{ attempts: Attempts }> = async (
  app,
  { attempts },
) => {
  app.get(
    '/session',
    {
      schema: {
        operationId: 'getSession',
        summary: 'Who is signed in',
        description: 'Signed out it is a 200 as well, with `user: null`.',
        tags,
        response: { 200: ref(SessionState) },
      },
    },
    async (req, reply) => describeSession(req.process, await refreshSession(req, reply)),
  )

  app.post(
    '/set-up',
    {
      schema: {
        operationId: 'setUp',
        summary: 'Make the first user',
        description: 'Who opens the printed link owns the default workspace, and is signed in.',
        tags,
        body: ref(SetUpInput),
        response: { 200: ref(SignInAnswer) },
      },
    },
    async (req, reply) => {
      await attempt(attempts, { address: req.ip }, () => setUp(req.process, req.body, req.id))
      return enter(req, reply, req.body)
    },
  )

  app.post(
    '/session',
    {
      schema: {
        operationId: 'signIn',
        summary: 'Sign in',
        description: 'Whatever is wrong, the answer is the same.',
        tags,
        body: ref(SignInInput),
        response: { 200: ref(SignInAnswer) },
      },
    },
    async (req, reply) => {
      const { ip, body } = req
      const who = { address: ip, account: `email ${foldEmail(body.email)}` } as const
      return attempt(attempts, who, () => enter(req, reply, body))
    },
  )

  app.post(
    '/session/second-factor',
    {
      schema: {
        operationId: 'enterSecondFactor',
        summary: 'Enter the second factor',
        description: 'Within ten minutes of the password. A code opens once.',
        tags,
        body: ref(SecondFactorInput),
        response: { 200: ref(SignInAnswer) },
      },
    },
    async (req, reply) => {
      const half = await findHalfSignIn(req)
      const who: Trying = { address: req.ip, account: half && `code ${half.userId}` }
      const enterCode = () => enterSecondFactor(req, reply, half, req.body)
      const userId = await attempt(attempts, who, enterCode)
      await recordSignIn(req, reply, userId)
      return { second_factor: false }
    },
  )

  app.delete(
    '/session',
    {
      schema: {
        operationId: 'signOut',
        summary: 'Sign out',
        description: 'Ends the session of this browser; without one it does nothing.',
        tags,
        response: { 200: ref(SessionState) },
      },
    },
    async (req, reply) => {
      await signOut(req, reply)
      return describeSession(req.process, null)
    },
  )
}
