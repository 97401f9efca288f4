import type { Context } from '../../kernel/context.ts'
import type { Role } from '../../kernel/http/access.ts'
import { type Actor, recordAudit } from '../audit/index.ts'
import * as crossWorkspace from './cross-workspace.ts'
import * as queries from './queries.ts'

export interface Membership {
  workspaceId: string
  userId: string
  role: Role
}

/** Does nothing where the person is a member already. */
export async function addMember(
  tx: Context,
  { workspaceId, userId, role }: Membership,
  actor: Actor,
): Promise<void> {
  await queries.insertMembership(tx.db, {
    ...{ workspace_id: workspaceId, user_id: userId, role },
    ...{ timestamp_created: tx.now(), timestamp_updated: tx.now() },
  })
  await recordAudit(tx, {
    ...{ workspaceId, actor, action: 'member.added' },
    ...{ subjectType: 'user', subjectId: userId, details: { role } },
  })
}

export async function findMembership(ctx: Context, workspaceId: string, userId: string) {
  const [membership] = await queries.findMembership(ctx.db, workspaceId, userId)
  return membership
}

/** By name. */
export const listWorkspacesOf = (ctx: Context, userId: string) =>
  crossWorkspace.listWorkspacesOf(ctx.db, userId)
