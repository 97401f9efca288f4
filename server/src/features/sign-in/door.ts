import type { FastifyReply, FastifyRequest } from 'fastify'
import { inWorkspace, type ProcessContext } from '../../kernel/context.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Caller, Door } from '../../kernel/http/access.ts'
import type { RateLimit } from '../../kernel/http/rate-limit.ts'
import { parseUuid } from '../../kernel/ids.ts'
import { findPlaceAndMembership, type PlaceAndMembership } from '../members/index.ts'
import { findSession, notSignedIn, type Session } from '../users/index.ts'
import { entitlementsOf } from '../workspaces/plan/index.ts'
import { scopesOf } from './roles.ts'

/** Requests of one person in 10 s, over all workspaces and without one. */
const requestsMax = 2000
const rateKeyOf = (userId: string) => `person:${userId}`

/** The way into the application: a session, and a workspace that its person is a member of. */
export const sessionDoor: Door = async (req) => {
  // It is asked again while a request or a stream goes on.
  req.session = null
  const { user } = await getSession(req)
  const workspaceId = workspaceOf(req)
  const found = workspaceId ? await findMembershipOn(req.process, workspaceId, user.id) : undefined
  if (!workspaceId || !found?.role) {
    throw new AppError(
      'workspace_mismatch',
      'You are not a member of this workspace: choose another.',
    )
  }
  const { shard, role } = found
  return {
    ...{ workspaceId, shard },
    actor: { type: 'user', id: user.id },
    role,
    scopes: new Set(scopesOf[role]),
    entitlements: entitlementsOf(found),
    // Else the plan alone would let a viewer spend credits.
    demands: new Set(['leadbank']),
    requestsMax,
    rateKey: rateKeyOf(user.id),
    expiresAt: null,
  }
}

/** On the shard of the workspace, by the very read that says whether it is there. */
async function findMembershipOn(
  ctx: ProcessContext,
  workspaceId: string,
  userId: string,
): Promise<(PlaceAndMembership & Pick<Caller, 'shard'>) | undefined> {
  const find = (own: ProcessContext) =>
    findPlaceAndMembership(inWorkspace(own, workspaceId), workspaceId, userId)
  const { shards } = ctx
  if (!shards) return find(ctx)
  const located = await shards.locateWorkspace(workspaceId, (shard) => find(shard.ctx))
  return located && { ...located.answer, shard: located.shard.ctx }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of routes below /app that belong to no workspace: who has to be signed in. */
    person?: 'person' | 'operator'
  }
  interface FastifyRequest {
    /** Read once for a request. */
    session: Session | null
    /** Who is signed in, on routes that ask for a person. */
    person: Session['user']
  }
}

export async function checkPersonAgain(req: FastifyRequest): Promise<void> {
  if (!req.routeOptions.config.person || !req.wasIncomplete) return
  req.session = null
  await checkPerson(req)
}

/** Lets in who the route is for, before anything else of the request is looked at. */
export async function checkPerson(req: FastifyRequest): Promise<void> {
  const { person } = req.routeOptions.config
  if (!person) return
  if (req.raw.complete === false) req.wasIncomplete = true
  const { user } = await getSession(req)
  req.person = user
  if (person === 'person' || user.is_operator) return
  throw new AppError('role_required', 'This needs an operator: whoever set up this installation.')
}

/** Whoever `checkPerson` has let in: those of a workspace are counted with it. */
export const countPerson =
  ({ consume }: Pick<RateLimit, 'consume'>) =>
  async ({ person }: FastifyRequest, reply: FastifyReply) => {
    // Undefined where the route asks for nobody.
    if (person?.id) reply.headers(await consume(rateKeyOf(person.id), requestsMax))
  }

/** @throws AppError `not_signed_in` */
export async function getSession(req: FastifyRequest): Promise<Session> {
  req.session ??= await findSession(req)
  if (req.session) return req.session
  throw notSignedIn()
}

/** A stream and a download cannot send a header; they name it in the query. */
function workspaceOf({ headers, query }: FastifyRequest): string | undefined {
  const { workspace } = query as { workspace?: unknown }
  return parseUuid(String(headers['x-workspace-id'] ?? workspace ?? '').trim())
}
