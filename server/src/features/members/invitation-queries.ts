import { type Insertable, sql } from 'kysely'
import type { Db, ProcessDb } from '../../kernel/db/db.ts'
import type { Invitations } from '../../kernel/db/types.gen.ts'

export const insertInvitation = (db: Db, invitation: Insertable<Invitations>) =>
  db.insertInto('invitations').values(invitation).returningAll().executeTakeFirstOrThrow()

/** Invitations that can be accepted, newest first. */
export const listInvitations = (db: Db, workspaceId: string, now: Date) =>
  db
    .selectFrom('invitations')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('timestamp_expires', '>', now)
    .orderBy('id', 'desc')
    .execute()

export async function countInvitations(db: Db, workspaceId: string, now: Date): Promise<number> {
  const { count } = await db
    .selectFrom('invitations')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('workspace_id', '=', workspaceId)
    .where('timestamp_expires', '>', now)
    .executeTakeFirstOrThrow()
  return count
}

export const deleteInvitation = (db: Db, workspaceId: string, id: string) =>
  db
    .deleteFrom('invitations')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()

/** Earlier ones to the same person are void. */
export const deleteInvitationsTo = (db: Db, workspaceId: string, email: string) =>
  db
    .deleteFrom('invitations')
    .where('workspace_id', '=', workspaceId)
    .where('email', '=', email)
    .returning(['role', 'timestamp_expires'])
    .execute()

/** Deletes the invitations that a person has made. */
export const deleteInvitationsBy = (db: Db, workspaceId: string, userId: string) =>
  db
    .deleteFrom('invitations')
    .where('workspace_id', '=', workspaceId)
    .where('invited_by', '=', userId)
    .execute()

/** The token tells the workspace. */
export const findInvitation = (db: ProcessDb, tokenHash: Buffer, now: Date) =>
  db
    .selectFrom('invitations')
    .innerJoin('workspaces', 'workspaces.id', 'invitations.workspace_id')
    .selectAll('invitations')
    .select(['workspaces.name as workspace_name', 'workspaces.handle as workspace_handle'])
    .where('workspaces.moved_to', 'is', null)
    .where('invitations.token_hash', '=', tokenHash)
    .where('invitations.timestamp_expires', '>', now)
    .executeTakeFirst()

/** Where it lies, or was left by a workspace that has gone to another database. */
export const findInvitedTo = (db: ProcessDb, tokenHash: Buffer, now: Date) =>
  db
    .selectFrom('invitations')
    .select('workspace_id')
    .where('token_hash', '=', tokenHash)
    .where('timestamp_expires', '>', now)
    .executeTakeFirst()

/** Deletes invitations that nobody can accept any more for so long. */
export const deleteOldInvitations = (db: Db, workspaceId: string, expiredBefore: Date) =>
  db
    .deleteFrom('invitations')
    .where('workspace_id', '=', workspaceId)
    .where('timestamp_expires', '<', expiredBefore)
    .execute()
