import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ProcessContext } from '../../kernel/context.ts'
import { AppError } from '../../kernel/errors.ts'
import { parseUuid } from '../../kernel/ids.ts'
import { authOf } from './auth.ts'
import { backupCodeOf } from './backup-codes.ts'
import * as queries from './queries.ts'
import { foldEmail } from './users.ts'

export interface Session {
  id: string
  token: string
  user: SignedInUser
}

interface SignedInUser {
  id: string
  name: string
  email: string
  has_second_factor: boolean
  is_operator: boolean
}

/** Null without a session; without a cookie at no cost. */
export async function findSession(req: FastifyRequest): Promise<Session | null> {
  if (!req.headers.cookie?.includes(sessionCookie)) return null
  const { api } = await authOf(req.process)
  const request = { headers: authHeaders(req), query: { disableRefresh: true } }
  const found = await unwrapFaults(() => api.getSession(request))
  return found && toSession(found)
}

/** Finds the session as well, and one that is used lives on. */
export async function refreshSession(
  req: FastifyRequest,
  reply: FastifyReply,
): Promise<Session | null> {
  if (!req.headers.cookie?.includes(sessionCookie)) return null
  const { api } = await authOf(req.process)
  const request = { headers: authHeaders(req), returnHeaders: true as const }
  const found = await unwrapFaults(() => api.getSession(request)).catch((error: Refusal) => {
    // It was ended between the reading and the renewal.
    if (error.statusCode === 401) return null
    throw error
  })
  if (!found) return null
  passCookies(found.headers, reply)
  return found.response && toSession(found.response)
}

/** Whoever signs in again leaves the session before to its end. */
export const dropOldSessions = ({ db, now }: ProcessContext) => queries.deleteExpired(db, now())

const sessionCookie = 'outrider.session_token='
const wrongAccount = 'The address or the password is not right.'

/** @returns id of the person; null: a second factor is asked for next */
export async function signIn(
  req: FastifyRequest,
  reply: FastifyReply,
  body: { email: string; password: string },
): Promise<string | null> {
  const { api } = await authOf(req.process)
  const email = foldEmail(body.email)
  const request = {
    body: { ...body, email },
    headers: authHeaders(req),
    returnHeaders: true as const,
  }
  const { headers, response } = await openSession(
    req,
    { who: { email }, wrong: wrongAccount },
    () => translate(() => api.signInEmail(request), wrongAccount),
  )
  passCookies(headers, reply)
  return 'twoFactorRedirect' in response ? null : response.user.id
}

interface Opening {
  who: { id: string } | { email: string }
  /** What the call itself changes. */
  changes?: 'password' | 'two_factor_enabled'
  /** The sentence for who is not let in. */
  wrong: string
}

/**
 * A session, or a sign-in that waits for its second factor, by what is true when the call begins: checking
 * a password takes 100 ms, in which a new password or a second factor may end all that there are. Then
 * this one ends, too.
 */
export async function openSession<T extends { headers: Headers }>(
  { process: { db } }: FastifyRequest,
  { who, changes, wrong }: Opening,
  call: () => Promise<T>,
): Promise<T> {
  const before = await queries.findPassword(db, who)
  const opened = await call()
  const after = await queries.findPassword(db, who)
  const facts = (['account_id', 'password', 'two_factor_enabled'] as const).filter(
    (fact) => fact !== changes,
  )
  if (!before || facts.every((fact) => after?.[fact] === before[fact])) return opened
  await queries.deleteSignIn(db, before.id, tokenIn(opened.headers))
  throw new AppError('wrong_credentials', wrong)
}

/** A sign-in that waits for its second factor. */
interface HalfSignIn {
  userId: string
  cookie: string
}

/**
 * A code opens once (RFC 6238 §5.2), a backup code is used up.
 *
 * @returns id of the person
 */
export async function enterSecondFactor(
  req: FastifyRequest,
  reply: FastifyReply,
  half: HalfSignIn | undefined,
  { code: typed, is_backup_code = false }: { code: string; is_backup_code?: boolean },
): Promise<string> {
  if (!half) throw signInEnded()
  const { userId: id, cookie } = half
  const { api } = await authOf(req.process)
  const code = is_backup_code ? await findBackupCode(req, id, typed) : withoutSpaces(typed)
  const headers = authHeaders(req)
  // A session that is there already would be taken for an enrolment, which has no limit of tries. And
  // another cookie beside this one must not name somebody else than better-auth lets in.
  headers.set('cookie', cookie)
  // Before better-auth hears of it: a right code ends the sign-in, and the next one would have none to open.
  if (!is_backup_code && (await isCodeUsed(req, id, code))) {
    throw new AppError('wrong_credentials', 'This code was used already; wait for the next one.')
  }
  const request = { body: { code }, headers, returnHeaders: true as const }
  const verify = () => (is_backup_code ? api.verifyBackupCode(request) : api.verifyTOTP(request))
  const wrong = is_backup_code ? wrongBackupCode : wrongCode
  const entered = await openSession(
    req,
    { who: { id }, wrong: endedSignIns.INVALID_TWO_FACTOR_COOKIE },
    () => translate(verify, wrong, endedSignIns),
  )
  // Two may have come with the same one at once.
  if (!is_backup_code && !(await useCode(req, id, code))) {
    await queries.deleteSession(req.process.db, String(entered.response.token))
    throw new AppError('wrong_credentials', `This code was used already. ${beginAgain}`)
  }
  passCookies(entered.headers, reply)
  return id
}

/** Authenticators show a code in two groups, and a code that was used is known by its text. */
export const withoutSpaces = (code: string) => code.replaceAll(/\s/g, '')

/** As better-auth keeps it. */
async function findBackupCode({ process: ctx }: FastifyRequest, userId: string, typed: string) {
  const { api } = await authOf(ctx)
  const view = () => api.viewBackupCodes({ body: { userId } })
  const { backupCodes } = await translate(view, wrongBackupCode)
  return backupCodeOf(backupCodes, typed)
}

export const wrongCode = 'The code is not right; enter the one that your authenticator shows now.'
const wrongBackupCode =
  'This is none of your backup codes that are left: each works once, and new ones end those before.'

const beginAgain = 'Begin again with your password.'

/** Codes of better-auth for a sign-in that no right code opens any more. */
const endedSignIns = {
  INVALID_TWO_FACTOR_COOKIE: `This sign-in has ended. ${beginAgain}`,
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: `Too many codes were wrong. ${beginAgain}`,
  ACCOUNT_TEMPORARILY_LOCKED: `Too many codes were wrong; wait 15 minutes. ${beginAgain}`,
}

const signInEnded = () => new AppError('wrong_credentials', endedSignIns.INVALID_TWO_FACTOR_COOKIE)

/** The one of a sign-in that waits for its second factor, signed by better-auth; '' without one. */
async function halfSignInCookie(req: FastifyRequest): Promise<string> {
  const { createAuthCookie } = await (await authOf(req.process)).$context
  const { name } = createAuthCookie('two_factor')
  const cookies = (req.headers.cookie ?? '').split(/;\s*/)
  return cookies.find((cookie) => cookie.startsWith(`${name}=`)) ?? ''
}

/** A code is accepted in its own 30 s and in those beside them. */
const codeLivesMs = 120_000

/** @returns false when it was used before */
export function useCode(
  { process: ctx }: FastifyRequest,
  userId: string,
  code: string,
): Promise<boolean> {
  const usedAt = ctx.now()
  const forgottenBefore = new Date(usedAt.getTime() - codeLivesMs)
  return queries.insertCodeUse(ctx.db, { userId, code, usedAt }, forgottenBefore)
}

function isCodeUsed({ process: ctx }: FastifyRequest, userId: string, code: string) {
  const usedAfter = new Date(ctx.now().getTime() - codeLivesMs)
  return queries.isCodeUsed(ctx.db, { userId, code, usedAfter })
}

/** The one that has begun in this browser, and whose it is. */
export async function findHalfSignIn(req: FastifyRequest): Promise<HalfSignIn | undefined> {
  const cookie = await halfSignInCookie(req)
  if (cookie === '') return undefined
  const { internalAdapter } = await (await authOf(req.process)).$context
  const identifier = valueOfCookie('two_factor', cookie)
  const signIn = await internalAdapter.findVerificationValue(identifier)
  const userId = parseUuid(signIn?.value ?? '')
  return userId === undefined ? undefined : { userId, cookie }
}

/** The session whose cookies the reply would carry ends, and nobody gets them. */
export async function takeBackSignIn(req: FastifyRequest, reply: FastifyReply): Promise<void> {
  const cookies = [reply.getHeader('set-cookie') ?? []].flat()
  reply.removeHeader('set-cookie')
  const token = tokenIn(new Headers(cookies.map((cookie) => ['set-cookie', String(cookie)])))
  await queries.deleteSession(req.process.db, token)
}

/** Without a session it does nothing. */
export async function signOut(req: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (!req.headers.cookie?.includes(sessionCookie)) return
  const session = await findSession(req)
  // better-auth says that it is ended also where the database did not hear of it.
  if (session) await queries.deleteSession(req.process.db, session.token)
  const { api } = await authOf(req.process)
  const { headers } = await api.signOut({ headers: authHeaders(req), returnHeaders: true })
  passCookies(headers, reply)
}

/** What better-auth tells; its types leave out what its plugin adds. */
interface Found {
  session: { id: string; token: string }
  user: {
    id: string
    name: string
    email: string
    is_operator?: boolean | null
    twoFactorEnabled?: boolean | null
  }
}

const toSession = ({ session, user }: Found): Session => ({
  id: session.id,
  token: session.token,
  user: {
    id: user.id,
    name: user.name,
    email: user.email,
    has_second_factor: user.twoFactorEnabled === true,
    is_operator: user.is_operator === true,
  },
})

/** Nothing else of what was sent: better-auth believes in headers. */
export const authHeaders = (req: FastifyRequest) =>
  new Headers({
    cookie: req.headers.cookie ?? '',
    'user-agent': (req.headers['user-agent'] ?? '').slice(0, 500),
    'x-outrider-client': req.ip,
  })

/** Of the cookie that was just set, without its signature; '' without one. */
export function tokenIn(headers: Headers): string {
  const cookie = headers.getSetCookie().find((text) => text.includes('session_token=')) ?? ''
  return valueOfCookie('session_token', cookie)
}

/** Without its signature; '' without one. */
const valueOfCookie = (name: string, cookie: string) =>
  new RegExp(`${name}=([\\w-]*)`).exec(cookie)?.[1] ?? ''

export function passCookies(headers: Headers, reply: FastifyReply) {
  const cookies = headers.getSetCookie()
  if (cookies.length > 0) reply.header('set-cookie', cookies)
}

/**
 * What better-auth refuses is one error with one sentence; faults stay faults.
 *
 * @param instead sentences for some of its codes
 */
export async function translate<T>(
  call: () => Promise<T>,
  message: string,
  instead: Record<string, string> = {},
): Promise<T> {
  try {
    return await unwrapFaults(call)
  } catch (error) {
    const { statusCode, body } = error as Refusal
    if (statusCode === undefined || statusCode >= 500) throw error
    // Of a session that has ended since its person was let in.
    if (body?.code === 'UNAUTHORIZED') throw notSignedIn()
    const sentence = instead[body?.code ?? ''] ?? message
    throw new AppError('wrong_credentials', sentence, { cause: error })
  }
}

export const notSignedIn = () =>
  new AppError('not_signed_in', 'You are not signed in; sign in and try again.')

/** What better-auth throws, in the parts that its types promise too little of. */
interface Refusal {
  statusCode?: number
  body?: { code?: string }
  cause?: unknown
}

/** better-auth wraps some of what fails below it, and only the cause tells a database that is away. */
async function unwrapFaults<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    const { statusCode = 0, cause } = error as Refusal
    throw statusCode >= 500 && cause !== undefined ? cause : error
  }
}
