import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { ref, Uuid } from '../../kernel/http/schema.ts'
import {
  beginSecondFactor,
  changePassword,
  confirmSecondFactor,
  disableSecondFactor,
  listSessions,
  renameUser,
  renewBackupCodes,
  requirePassword,
  revokeOtherSessions,
  revokeSession,
} from '../users/index.ts'
import { type Attempts, attempt } from './attempts.ts'
import { getSession } from './door.ts'
import {
  BackupCodes,
  BegunSecondFactor,
  CodeInput,
  OwnSessionList,
  PasswordChange,
  PasswordInput,
  ProfileInput,
} from './profile-schema.ts'
import { recordOwn } from './record.ts'
import { SessionState } from './schema.ts'
import { describeSession } from './session-state.ts'

const tags = ['Profile']
const config = { person: 'person' as const }

/** What a signed-in person does for themselves, in whatever workspace. */
export const profileRoutes: FastifyPluginAsyncTypebox<{ attempts: Attempts }> = async (
  app,
  { attempts },
) => {
  /** Whoever found an open browser does not get to guess its password. */
  const guarded = async <T>(req: FastifyRequest, work: () => Promise<T>): Promise<T> => {
    const session = await getSession(req)
    await requirePassword(req.process, session)
    return attempt(attempts, { address: req.ip, account: `profile ${session.user.id}` }, work)
  }

  app.patch(
    '/profile',
    {
      config,
      schema: {
        operationId: 'updateProfile',
        summary: 'Change my name',
        description: 'As others see it in the list of members and in the audit log.',
        tags,
        body: ref(ProfileInput),
        response: { 200: ref(SessionState) },
      },
    },
    async (req) => {
      const session = await getSession(req)
      const { name } = req.body
      await renameUser(req.process, session, name)
      return describeSession(req.process, { ...session, user: { ...session.user, name } })
    },
  )

  app.post(
    '/profile/password',
    {
      config,
      schema: {
        operationId: 'changePassword',
        summary: 'Change my password',
        description: 'Every other session of mine ends.',
        tags,
        body: ref(PasswordChange),
        response: { 200: ref(SessionState) },
      },
    },
    async (req, reply) => {
      const session = await getSession(req)
      await guarded(req, () => changePassword(req, reply, session, req.body))
      await recordOwn(req, session.user.id, 'user.changed_password')
      return describeSession(req.process, session)
    },
  )

  app.post(
    '/profile/second-factor',
    {
      config,
      schema: {
        operationId: 'beginSecondFactor',
        summary: 'Begin to use a second factor',
        description: 'It is asked for at sign-in once a first code has confirmed it.',
        tags,
        body: ref(PasswordInput),
        response: { 200: ref(BegunSecondFactor) },
      },
    },
    (req) => guarded(req, () => beginSecondFactor(req, req.body.password)),
  )

  app.post(
    '/profile/second-factor/confirm',
    {
      config,
      schema: {
        operationId: 'confirmSecondFactor',
        summary: 'Confirm the second factor',
        description: 'By a first code. Every other session of mine ends: it was opened without.',
        tags,
        body: ref(CodeInput),
        response: { 200: ref(SessionState) },
      },
    },
    async (req, reply) => {
      const session = await getSession(req)
      await guarded(req, () => confirmSecondFactor(req, reply, session, req.body.code))
      await recordOwn(req, session.user.id, 'user.turned_second_factor_on')
      const user = { ...session.user, has_second_factor: true }
      return describeSession(req.process, { ...session, user })
    },
  )

  app.post(
    '/profile/second-factor/disable',
    {
      config,
      schema: {
        operationId: 'disableSecondFactor',
        summary: 'Do without a second factor',
        description: 'The password alone signs in from then on.',
        tags,
        body: ref(PasswordInput),
        response: { 200: ref(SessionState) },
      },
    },
    async (req, reply) => {
      const session = await getSession(req)
      await guarded(req, () => disableSecondFactor(req, reply, session, req.body.password))
      await recordOwn(req, session.user.id, 'user.turned_second_factor_off')
      const user = { ...session.user, has_second_factor: false }
      return describeSession(req.process, { ...session, user })
    },
  )

  app.post(
    '/profile/second-factor/backup-codes',
    {
      config,
      schema: {
        operationId: 'renewBackupCodes',
        summary: 'Make new backup codes',
        description: 'The old ones open nothing any more.',
        tags,
        body: ref(PasswordInput),
        response: { 200: ref(BackupCodes) },
      },
    },
    async (req) => {
      const { user } = await getSession(req)
      const codes = await guarded(req, () => renewBackupCodes(req, req.body.password))
      await recordOwn(req, user.id, 'user.renewed_backup_codes')
      return { backup_codes: codes }
    },
  )

  app.get(
    '/profile/sessions',
    {
      config,
      schema: {
        operationId: 'listOwnSessions',
        summary: 'Where I am signed in',
        description: 'The latest used first.',
        tags,
        response: { 200: ref(OwnSessionList) },
      },
    },
    async (req) => ({ items: await listSessions(req.process, await getSession(req)) }),
  )

  app.delete(
    '/profile/sessions/:id',
    {
      config,
      schema: {
        operationId: 'revokeOwnSession',
        summary: 'End a session of mine',
        description: 'The browser is signed out at once.',
        tags,
        params: Type.Object({ id: Uuid }),
        response: { 200: ref(OwnSessionList) },
      },
    },
    async (req) => {
      const session = await getSession(req)
      await revokeSession(req.process, session, req.params.id)
      return { items: await listSessions(req.process, session) }
    },
  )

  app.post(
    '/profile/sessions/revoke-others',
    {
      config,
      schema: {
        operationId: 'revokeOtherSessions',
        summary: 'End all other sessions of mine',
        description: 'This browser stays signed in.',
        tags,
        response: { 200: ref(OwnSessionList) },
      },
    },
    async (req) => {
      const session = await getSession(req)
      await revokeOtherSessions(req.process, session)
      return { items: await listSessions(req.process, session) }
    },
  )
}
