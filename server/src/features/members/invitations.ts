import type { Selectable } from 'kysely'
import {
  type Context,
  enterWorkspace,
  inWorkspace,
  type ProcessContext,
  processOf,
} from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import type { Invitations } from '../../kernel/db/types.gen.ts'
import { dayMs } from '../../kernel/durations.ts'
import { AppError, invalidField, notFound } from '../../kernel/errors.ts'
import type { Role } from '../../kernel/http/access.ts'
import { findOnShards } from '../../kernel/shards/ask.ts'
import { betweenShards } from '../../kernel/shards/shards.ts'
import { type ChangedBy, changedByPerson, recordAudit } from '../audit/index.ts'
import {
  createToken,
  createUser,
  findUserByEmail,
  hashPassword,
  hashToken,
  readEmail,
  voidPasswordResets,
} from '../users/index.ts'
import * as queries from './invitation-queries.ts'
import { addMember, findRole, lockMembers, requireOwnerFor } from './members.ts'
import type { Invitation } from './schema.ts'

const validMs = 7 * dayMs
/** After it has expired: the address of somebody who did not come is nobody's to keep. */
const keptMs = 30 * dayMs
/** Open invitations are listed whole. */
const openMax = 1000

/** The link is in this answer and in no other; an earlier one to the same person is void. */
export async function createInvitation(
  ctx: Context,
  workspaceId: string,
  input: { email: string; role: Role },
  by: ChangedBy,
) {
  const { actor } = by
  const email = readEmail(input.email)
  const token = createToken()
  return transaction(ctx, async (tx) => {
    const own = await lockMembers(tx, workspaceId, actor)
    requireOwnerFor(input.role, own)
    const user = await findUserByEmail(tx, email)
    if (user && (await findRole(tx, workspaceId, user.id))) {
      throw invalidField('/email', 'email is that of a member already')
    }
    const replaced = await queries.deleteInvitationsTo(tx.db, workspaceId, email)
    // One that nobody can accept any more is nobody's to keep.
    const open = replaced.filter((each) => each.timestamp_expires > tx.now())
    for (const { role } of open) requireOwnerFor(role as Role, own)
    if ((await queries.countInvitations(tx.db, workspaceId, tx.now())) >= openMax) {
      throw new AppError(
        'not_ready',
        `There are ${openMax} open invitations; withdraw one first, or wait until some have expired.`,
      )
    }
    const row = await queries.insertInvitation(tx.db, {
      ...{ id: tx.newId(), workspace_id: workspaceId, email, role: input.role },
      ...{ token_hash: hashToken(token), invited_by: actor.type === 'user' ? actor.id : null },
      timestamp_created: tx.now(),
      timestamp_expires: new Date(tx.now().getTime() + validMs),
    })
    await recordAudit(tx, {
      ...{ workspaceId, ...by, action: 'invitation.created' },
      ...{ subjectType: 'invitation', subjectId: row.id, details: { role: input.role } },
    })
    // Behind #, so that no server and no log sees it.
    return { ...toRecord(row), url: `${ctx.config.baseUrl}/invitation#${token}` }
  })
}

/** Invitations that can be accepted, newest first. */
export async function listInvitations(ctx: Context, workspaceId: string): Promise<Invitation[]> {
  return (await queries.listInvitations(ctx.db, workspaceId, ctx.now())).map(toRecord)
}

export const dropOldInvitations = (ctx: Context, workspaceId: string) =>
  queries.deleteOldInvitations(ctx.db, workspaceId, new Date(ctx.now().getTime() - keptMs))

export function deleteInvitation(
  ctx: Context,
  workspaceId: string,
  id: string,
  by: ChangedBy,
): Promise<Invitation> {
  return transaction(ctx, async (tx) => {
    const own = await lockMembers(tx, workspaceId, by.actor)
    const row = await queries.deleteInvitation(tx.db, workspaceId, id)
    if (!row) throw notFound('invitation')
    requireOwnerFor(row.role as Role, own)
    await recordAudit(tx, {
      ...{ workspaceId, ...by, action: 'invitation.deleted' },
      ...{ subjectType: 'invitation', subjectId: id },
    })
    return toRecord(row)
  })
}

/** What the holder of the link is shown before they accept. */
export const getInvitation = async (ctx: ProcessContext, token: string) =>
  (await locate(ctx, token)).found

/**
 * With the database that the workspace lies on.
 *
 * @throws AppError `unavailable` while it is between two, and else `not_found` where there is none
 */
async function locate(ctx: ProcessContext, token: string) {
  const located = await findOnShards(ctx, (shard) => findHere(shard, token))
  if (located) return located
  const left = await findOnShards(ctx, ({ db, now }) =>
    queries.findInvitedTo(db, hashToken(token), now()),
  )
  if (left) {
    // Where it has arrived by now.
    const shard = processOf(await enterWorkspace(ctx, left.found.workspace_id))
    const found = await findHere(shard, token)
    if (found) return { ctx: shard, found }
  }
  throw spent()
}

const findHere = ({ db, now }: ProcessContext, token: string) =>
  queries.findInvitation(db, hashToken(token), now())

/** Whether the invited person has an account already, and signs in to accept. */
export const hasAccount = async (ctx: ProcessContext, email: string) =>
  (await findUserByEmail(ctx, email)) !== undefined

/**
 * Makes the account and the membership in one. With the workspace on another database the account
 * comes first: should the rest fail, its person signs in and accepts again.
 */
export async function acceptAsNewUser(
  ctx: ProcessContext,
  token: string,
  { name, password }: { name: string; password: string },
  requestId: string,
): Promise<{ email: string }> {
  const { ctx: shard, found } = await locate(ctx, token)
  const { email } = found
  if (await hasAccount(ctx, email)) throw signInFirst()
  const passwordHash = await hashPassword(ctx, password)
  const create = (tx: ProcessContext) => createUser(tx, { name, email, passwordHash })
  const isElsewhere = shard.shard !== ctx.shard
  const made = isElsewhere ? await transaction(ctx, create) : undefined
  await transaction(shard, async (tx) => {
    const invitation = await take(tx, token)
    await join(tx, invitation, made ?? (await create(tx)), requestId)
  })
  return { email }
}

export async function acceptAsUser(
  ctx: ProcessContext,
  token: string,
  user: { id: string; email: string },
  requestId: string,
): Promise<void> {
  const { ctx: shard } = await locate(ctx, token)
  await transaction(shard, async (tx) => {
    const invitation = await take(tx, token)
    if (invitation.email !== user.email) throw signInFirst()
    await join(tx, invitation, user.id, requestId)
  })
  // Also one whose maker looked before this was there to see, in the workspace that they are in already.
  await voidPasswordResets(ctx, [user.id])
}

/** An invitation is accepted once: a second call finds none. */
async function take(tx: ProcessContext, token: string) {
  const found = await findHere(tx, token)
  if (!found) {
    // It has left for another database since it was located.
    const left = await queries.findInvitedTo(tx.db, hashToken(token), tx.now())
    throw left ? betweenShards() : spent()
  }
  const { workspace_id, id } = found
  const taken = await queries.deleteInvitation(inWorkspace(tx, workspace_id).db, workspace_id, id)
  if (!taken) throw spent()
  return taken
}

const join = (
  tx: ProcessContext,
  { workspace_id, role }: Selectable<Invitations>,
  userId: string,
  requestId: string,
) =>
  addMember(
    tx,
    { workspaceId: workspace_id, userId, role: role as Role },
    changedByPerson(userId, requestId),
  )

const spent = () =>
  new AppError(
    'not_found',
    'This invitation was used, withdrawn or has expired; ask for another. If you have just joined by it, sign in.',
  )

export const signInFirst = () =>
  new AppError('not_signed_in', 'The invited address has an account: sign in with it to accept.')

const toRecord = ({ token_hash: _, role, ...row }: Selectable<Invitations>): Invitation => ({
  ...row,
  role: role as Role,
})
