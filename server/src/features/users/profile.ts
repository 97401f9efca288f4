import { SocketAddress } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AnyContext } from '../../kernel/context.ts'
import { AppError, notFound } from '../../kernel/errors.ts'
import { authOf } from './auth.ts'
import * as queries from './queries.ts'
import {
  authHeaders,
  openSession,
  passCookies,
  type Session,
  tokenIn,
  translate,
  useCode,
  withoutSpaces,
  wrongCode,
} from './sessions.ts'

const wrongPassword = 'The password is not right.'
const changedMeanwhile = 'Your password or second factor has just been changed; sign in again.'

/** @throws for whoever signs in at a provider alone: no password is right */
export async function requirePassword(ctx: AnyContext, { user }: Session) {
  if (await queries.findPassword(ctx.db, { id: user.id })) return
  throw new AppError(
    'invalid_transition',
    'You sign in at your provider and have no password here. If you want one as well, ask the operator for a link: "npx outrider users reset" makes it.',
  )
}

/** Ends every other session of the person, and links to reset it: whoever knew the old one is out. */
export async function changePassword(
  req: FastifyRequest,
  reply: FastifyReply,
  { user }: Session,
  { current_password, new_password }: { current_password: string; new_password: string },
): Promise<void> {
  const { api } = await authOf(req.process)
  const body = {
    currentPassword: current_password,
    newPassword: new_password,
    revokeOtherSessions: true,
  }
  const call = () => api.changePassword({ body, headers: authHeaders(req), returnHeaders: true })
  const { headers } = await openSession(
    req,
    { who: { id: user.id }, changes: 'password', wrong: changedMeanwhile },
    () => translate(call, wrongPassword),
  )
  await queries.deletePasswordResets(req.process.db, [user.id])
  await queries.deleteOtherSessions(req.process.db, user.id, tokenIn(headers))
  passCookies(headers, reply)
}

/** Nothing is asked for at sign-in until a first code has confirmed it. */
export async function beginSecondFactor(req: FastifyRequest, password: string) {
  const { api } = await authOf(req.process)
  const call = () => api.enableTwoFactor({ body: { password }, headers: authHeaders(req) })
  const begun = await translate(call, `${wrongPassword} Or there is a second factor already.`)
  if (!('totpURI' in begun)) throw new Error('better-auth gave no secret.')
  return { uri: begun.totpURI, backup_codes: begun.backupCodes }
}

/** Other sessions end: they were opened without it. */
export async function confirmSecondFactor(
  req: FastifyRequest,
  reply: FastifyReply,
  { user }: Session,
  typed: string,
): Promise<void> {
  const { api } = await authOf(req.process)
  if (user.has_second_factor) throw alreadyOn()
  const code = withoutSpaces(typed)
  const call = () =>
    api.verifyTOTP({ body: { code }, headers: authHeaders(req), returnHeaders: true })
  const { headers } = await openSession(
    req,
    { who: { id: user.id }, changes: 'two_factor_enabled', wrong: changedMeanwhile },
    () => translate(call, wrongCode),
  )
  await useCode(req, user.id, code)
  await queries.deleteOtherSessions(req.process.db, user.id, tokenIn(headers))
  passCookies(headers, reply)
}

const alreadyOn = () =>
  new AppError('invalid_transition', 'The second factor is on already; turn it off first.')

export async function disableSecondFactor(
  req: FastifyRequest,
  reply: FastifyReply,
  { user }: Session,
  password: string,
): Promise<void> {
  const { api } = await authOf(req.process)
  const call = () =>
    api.disableTwoFactor({ body: { password }, headers: authHeaders(req), returnHeaders: true })
  const { headers } = await openSession(
    req,
    { who: { id: user.id }, changes: 'two_factor_enabled', wrong: changedMeanwhile },
    () => translate(call, wrongPassword),
  )
  passCookies(headers, reply)
}

/** The old ones open nothing any more. */
export async function renewBackupCodes(req: FastifyRequest, password: string): Promise<string[]> {
  const { api } = await authOf(req.process)
  const call = () => api.generateBackupCodes({ body: { password }, headers: authHeaders(req) })
  const { backupCodes } = await translate(call, wrongPassword)
  return backupCodes
}

/** Latest use first. */
export async function listSessions(ctx: AnyContext, { id, user }: Session) {
  const rows = await queries.listSessions(ctx.db, user.id, ctx.now())
  return rows.map((row) => ({
    ...row,
    ip_address: shortAddress(row.ip_address),
    is_current: row.id === id,
  }))
}

/** better-auth writes every zero of an IPv6 address. */
const shortAddress = (address: string | null) =>
  address?.includes(':') ? new SocketAddress({ address, family: 'ipv6' }).address : address

export async function revokeSession(ctx: AnyContext, { user }: Session, id: string) {
  const revoked = await queries.deleteSessionById(ctx.db, user.id, id)
  if (!revoked) throw notFound('session')
}

export const revokeOtherSessions = (ctx: AnyContext, { user, token }: Session) =>
  queries.deleteOtherSessions(ctx.db, user.id, token)

export const renameUser = (ctx: AnyContext, { user }: Session, name: string) =>
  queries.updateUser(ctx.db, user.id, { name, timestamp_updated: ctx.now() })
