import { type Context, inWorkspace, type ProcessContext, processOf } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { AppError, notFound } from '../../kernel/errors.ts'
import { type Role, roles } from '../../kernel/http/access.ts'
import { askAllShards, askShardsUp, createShardCheck } from '../../kernel/shards/ask.ts'
import {
  type Actor,
  type AuditAction,
  type ChangedBy,
  type ChangedByCaller,
  recordAudit,
} from '../audit/index.ts'
import {
  createPasswordReset,
  hasProvider,
  listUsersById,
  type OneTimeLink,
  voidPasswordResets,
} from '../users/index.ts'
import * as crossWorkspace from './cross-workspace.ts'
import { deleteInvitationsBy, deleteInvitationsTo } from './invitation-queries.ts'
import * as queries from './queries.ts'
import type { Member } from './schema.ts'

export interface Membership {
  workspaceId: string
  userId: string
  role: Role
}

/** Does nothing where the person is a member already. */
export async function addMember(
  ctx: ProcessContext,
  { workspaceId, userId, role }: Membership,
  by: ChangedBy,
): Promise<void> {
  const tx = inWorkspace(ctx, workspaceId)
  const added = await queries.insertMembership(tx.db, {
    ...{ workspace_id: workspaceId, user_id: userId, role },
    ...{ timestamp_created: tx.now(), timestamp_updated: tx.now() },
  })
  if (!added) return
  // Whoever made one could not have made it for what the person may do now.
  await voidPasswordResets(tx, [userId])
  await recordAudit(tx, {
    ...{ workspaceId, ...by, action: 'member.added' },
    ...{ subjectType: 'user', subjectId: userId, details: { role } },
  })
}

/** With the switches of the workspace's plan; undefined where the database has never had it. */
export async function findPlaceAndMembership(ctx: Context, workspaceId: string, userId: string) {
  const [found] = await queries.findPlaceAndMembership(ctx.db, workspaceId, userId)
  return found
}

/** Nothing when the person is no member. */
export const findRole = async (ctx: Context, workspaceId: string, userId: string) =>
  (await findPlaceAndMembership(ctx, workspaceId, userId))?.role

/** By name. Those on a shard that does not answer are left out. */
export const listWorkspacesOf = async (ctx: ProcessContext, userId: string) =>
  byName(await askShardsUp(ctx, (shard) => listWorkspacesHere(shard, userId)))

/** Of this database alone. */
export const listWorkspacesHere = (ctx: ProcessContext, userId: string) =>
  crossWorkspace.listWorkspacesOf(ctx.db, userId)

function byName(lists: crossWorkspace.OwnWorkspace[][]): crossWorkspace.OwnWorkspace[] {
  const [first = [], ...others] = lists
  if (others.length === 0) return first
  return lists.flat().toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** By address. */
export async function listMembers(ctx: Context, workspaceId: string): Promise<Member[]> {
  const memberships = await queries.listMemberships(ctx.db, workspaceId)
  const users = await listUsersById(
    ctx,
    memberships.map((each) => each.user_id),
  )
  const roleOf = new Map(memberships.map((each) => [each.user_id, each]))
  return users
    .flatMap((user) => {
      const membership = roleOf.get(user.id)
      return membership ? [toMember(user, membership)] : []
    })
    .toSorted((a, b) => (a.email < b.email ? -1 : 1))
}

type User = Awaited<ReturnType<typeof listUsersById>>[number]

const toMember = (user: User, membership: { role: string; timestamp_created: Date }): Member => ({
  ...{ id: user.id, name: user.name, email: user.email },
  role: membership.role as Role,
  has_second_factor: user.two_factor_enabled === true,
  timestamp_created: membership.timestamp_created,
})

export function setRole(
  ctx: Context,
  workspaceId: string,
  userId: string,
  role: Role,
  by: ChangedBy,
): Promise<Member> {
  return transaction(ctx, async (tx) => {
    const { member, own } = await lockMember(tx, workspaceId, userId, by)
    requireOwnerFor(role, own)
    if (role === member.role) return member
    await requireAnotherOwner(tx, workspaceId, member)
    if (roles.indexOf(role) > roles.indexOf(member.role)) await voidPasswordResets(tx, [userId])
    else await voidLinksOf(tx, workspaceId, member)
    await queries.updateRole(tx.db, workspaceId, userId, { role, timestamp_updated: tx.now() })
    const details = { previous_role: member.role, role }
    await record(tx, workspaceId, 'member.role_set', userId, by, details)
    return { ...member, role }
  })
}

/** Removing holds for every request that begins after this returned, and no link lets them in again. */
export function removeMember(
  ctx: Context,
  workspaceId: string,
  userId: string,
  by: ChangedBy,
): Promise<Member> {
  return transaction(ctx, async (tx) => {
    const { member } = await lockMember(tx, workspaceId, userId, by)
    return takeOut(tx, workspaceId, member, by)
  })
}

/** What an admin does to others everybody does to themselves. */
export function leaveWorkspace(
  ctx: Context,
  workspaceId: string,
  by: ChangedByCaller,
): Promise<Member> {
  return transaction(ctx, async (tx) => {
    await queries.lockMembers(tx.db, workspaceId)
    const member = await getMember(tx, workspaceId, by.actor.id)
    return takeOut(tx, workspaceId, member, by)
  })
}

async function takeOut(tx: Context, workspaceId: string, member: Member, by: ChangedBy) {
  await requireAnotherOwner(tx, workspaceId, member)
  await voidLinksOf(tx, workspaceId, member)
  await deleteInvitationsTo(tx.db, workspaceId, member.email)
  await queries.deleteMembership(tx.db, workspaceId, member.id)
  await record(tx, workspaceId, 'member.removed', member.id, by, { role: member.role })
  return member
}

/**
 * A link to set a new password. Whoever holds it becomes that person, so it is refused where they may
 * do more than the admin who asks: as owner, as operator, or in another workspace. So it is for who signs
 * in at a provider: a password beside it would stay unnoticed until they may do more. And for oneself,
 * where the password is changed by who knows the old one, and not by who found an open browser.
 */
export async function createResetLink(
  ctx: Context,
  workspaceId: string,
  userId: string,
  by: ChangedBy,
): Promise<OneTimeLink> {
  const isMemberElsewhere = await isInSeveral(ctx, userId)
  const link = await transaction(ctx, async (tx) => {
    await lockMember(tx, workspaceId, userId, by)
    const [user] = await listUsersById(tx, [userId])
    if (by.actor.id === userId) throw yourOwn()
    if (user?.is_operator || isMemberElsewhere) throw beyondWorkspace()
    if (await hasProvider(tx, userId)) throw atProvider()
    await record(tx, workspaceId, 'member.reset_link_created', userId, by, {})
    return createPasswordReset(tx, userId)
  })
  // Whoever joins another workspace makes links void once they are in: one that came later is so here.
  if (!(await isInSeveral(ctx, userId))) return link
  await voidPasswordResets(ctx, [userId])
  throw beyondWorkspace()
}

/** Whether somebody is in several; one on its way between shards counts, and for a while one that they left then. */
async function isInSeveral(ctx: Context, userId: string): Promise<boolean> {
  const process = processOf(ctx)
  await createShardCheck(process.shards?.first.ctx ?? process)()
  const found = await askAllShards(process, ({ db }) =>
    crossWorkspace.listMembershipsOf(db, userId),
  )
  return new Set(found.flat().map(({ workspace_id }) => workspace_id)).size > 1
}

const beyondWorkspace = () =>
  new AppError(
    'role_required',
    'This person has rights outside of this workspace: the operator runs "npx outrider users reset".',
  )

const atProvider = () =>
  new AppError(
    'role_required',
    'This person signs in without a password here: the operator runs "npx outrider users reset" for one.',
  )

const yourOwn = () =>
  new AppError(
    'role_required',
    'Change your own password in your account; without the old one another admin makes the link, or the operator runs "npx outrider users reset".',
  )

/**
 * Links that somebody has handed out, or kept for later, are void once they may do less: whoever holds
 * one becomes a member, or another member.
 */
async function voidLinksOf(tx: Context, workspaceId: string, { id, role }: Member): Promise<void> {
  await deleteInvitationsBy(tx.db, workspaceId, id)
  // Only admins and owners make reset links, and none was left when somebody became less than that.
  const isMaker = role === 'admin' || role === 'owner'
  const members = isMaker ? await queries.listMemberships(tx.db, workspaceId) : [{ user_id: id }]
  // Who made a reset link is not kept: a link of somebody else is made again.
  await voidPasswordResets(
    tx,
    members.map((each) => each.user_id),
  )
}

async function lockMember(tx: Context, workspaceId: string, userId: string, { actor }: ChangedBy) {
  const own = await lockMembers(tx, workspaceId, actor)
  const member = await getMember(tx, workspaceId, userId)
  requireOwnerFor(member.role, own)
  return { member, own }
}

async function getMember(tx: Context, workspaceId: string, userId: string): Promise<Member> {
  const members = await listMembers(tx, workspaceId)
  const member = members.find((each) => each.id === userId)
  if (!member) throw notFound('member')
  return member
}

/**
 * Nobody else changes members until the transaction ends.
 *
 * @returns the role of who asks, which may have been changed since their request was let in
 */
export async function lockMembers(tx: Context, workspaceId: string, actor: Actor): Promise<Role> {
  await queries.lockMembers(tx.db, workspaceId)
  if (actor.type === 'operator') return 'owner'
  const own = actor.id === null ? undefined : await findRole(tx, workspaceId, actor.id)
  if (own === 'admin' || own === 'owner') return own
  throw new AppError('role_required', 'This needs the role admin, which you have no more.')
}

/**
 * Owners are made and unmade by owners.
 *
 * @param own of who asks
 */
export function requireOwnerFor(role: Role, own: Role) {
  if (role !== 'owner' || own === 'owner') return
  throw new AppError('role_required', 'Only an owner of the workspace makes or changes owners.')
}

async function requireAnotherOwner(tx: Context, workspaceId: string, { id, role }: Member) {
  if (role !== 'owner') return
  const members = await listMembers(tx, workspaceId)
  if (members.some((each) => each.role === 'owner' && each.id !== id)) return
  throw new AppError(
    'invalid_transition',
    'A workspace keeps an owner: make somebody else one first.',
  )
}

const record = (
  tx: Context,
  workspaceId: string,
  action: AuditAction,
  userId: string,
  by: ChangedBy,
  details: Record<string, string>,
) =>
  recordAudit(tx, {
    ...{ workspaceId, ...by, action },
    ...{ subjectType: 'user', subjectId: userId, details },
  })
