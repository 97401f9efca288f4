import type { FastifyReply, FastifyRequest } from 'fastify'
import { signIn, takeBackSignIn } from '../users/index.ts'
import { recordOwn } from './record.ts'

/** By password; who has a second factor enters that next, and is not signed in before. */
export async function enter(
  req: FastifyRequest,
  reply: FastifyReply,
  account: { email: string; password: string },
): Promise<{ second_factor: boolean }> {
  const userId = await signIn(req, reply, account)
  if (userId === null) return { second_factor: true }
  await recordSignIn(req, reply, userId)
  return { second_factor: false }
}

/** Nobody is signed in without an entry in the audit log: where it fails, the session is taken back. */
export async function recordSignIn(req: FastifyRequest, reply: FastifyReply, userId: string) {
  await recordOwn(req, userId, 'user.signed_in').catch(async (error) => {
    // A database that is away takes neither: nobody has the token, and the session expires.
    await takeBackSignIn(req, reply).catch(() => undefined)
    throw error
  })
}
