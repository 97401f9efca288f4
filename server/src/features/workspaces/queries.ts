import { type Insertable, sql, type Updateable } from 'kysely'
import type { AnyDb } from '../../kernel/db/db.ts'
import type { Workspaces } from '../../kernel/db/types.gen.ts'

/** Does nothing when the name or the handle is taken: several processes may start at once. */
export const insertWorkspace = (db: AnyDb, workspace: Insertable<Workspaces>) =>
  db
    .insertInto('workspaces')
    .values(workspace)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()

export async function isHandleTaken(db: AnyDb, handle: string): Promise<boolean> {
  const query = db.selectFrom('workspaces').select('id').where('handle', '=', handle)
  return (await query.executeTakeFirst()) !== undefined
}

export const listWorkspaces = (db: AnyDb) =>
  db
    .selectFrom('workspaces')
    .selectAll()
    .where('moved_to', 'is', null)
    .orderBy('id', 'desc')
    .execute()

export async function countWorkspaces(db: AnyDb): Promise<number> {
  const { count } = await db
    .selectFrom('workspaces')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('moved_to', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

/** The workspaces that this database works for: none that is being moved, or was moved, to another one. */
export async function listWorkspaceIdsHere(db: AnyDb): Promise<string[]> {
  const query = db.selectFrom('workspaces').select('id').where('moving_to', 'is', null)
  return (await query.orderBy('id').execute()).map(({ id }) => id)
}

export const findWorkspace = (db: AnyDb, id: string) =>
  db
    .selectFrom('workspaces')
    .selectAll()
    .where('id', '=', id)
    .where('moved_to', 'is', null)
    .executeTakeFirst()

export const findWorkspaceByName = (db: AnyDb, name: string) =>
  db
    .selectFrom('workspaces')
    .selectAll()
    .where('name', '=', name)
    .where('moved_to', 'is', null)
    .executeTakeFirst()

export const updateWorkspace = (db: AnyDb, id: string, changes: Updateable<Workspaces>) =>
  db.updateTable('workspaces').set(changes).where('id', '=', id).returningAll().executeTakeFirst()
