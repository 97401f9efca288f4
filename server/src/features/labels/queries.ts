import type { Insertable, Updateable } from 'kysely'
import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import type { Labels } from '../../kernel/db/types.gen.ts'

/** Held to the end of the transaction: a name must differ from every other name and value at once. */
export const lockNames = (db: Db, workspaceId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`labels ${workspaceId}`}, 0))`.execute(db)

export const insertLabel = (db: Db, label: Insertable<Labels>) =>
  db.insertInto('labels').values(label).returningAll().executeTakeFirstOrThrow()

/** Archived ones too, newest first. */
export const listLabels = (db: Db, workspaceId: string) =>
  db
    .selectFrom('labels')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .orderBy('id', 'desc')
    .execute()

export const findLabel = (db: Db, workspaceId: string, id: string) =>
  db
    .selectFrom('labels')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()

export const updateLabel = (db: Db, workspaceId: string, id: string, changes: Updateable<Labels>) =>
  db
    .updateTable('labels')
    .set(changes)
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()

/** Archives once: a second call matches no row. */
export const archiveLabel = (db: Db, workspaceId: string, id: string, archivedAt: Date) =>
  db
    .updateTable('labels')
    .set({ timestamp_archived: archivedAt, timestamp_updated: archivedAt })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('timestamp_archived', 'is', null)
    .returningAll()
    .executeTakeFirst()
