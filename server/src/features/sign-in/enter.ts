import type { FastifyReply, FastifyRequest } from 'fastify'
import { signIn } from '../users/index.ts'
import { recordForPerson } from './record.ts'

/** By password; who has a second factor enters that next, and is not signed in before. */
export async function enter(
  req: FastifyRequest,
  reply: FastifyReply,
  account: { email: string; password: string },
): Promise<{ second_factor: boolean }> {
  const userId = await signIn(req, reply, account)
  if (userId === null) return { second_factor: true }
  await recordForPerson(req.process, userId, 'user.signed_in')
  return { second_factor: false }
}
