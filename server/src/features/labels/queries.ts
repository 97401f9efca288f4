import type { Insertable, Updateable } from 'kysely'
import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import type { Labels } from '../../kernel/db/types.gen.ts'
import type { Label } from './record.ts'

const columns = [
  ...(['id', 'name', 'value', 'effect', 'sentiment'] as const),
  ...(['timestamp_created', 'timestamp_updated', 'timestamp_archived'] as const),
]

/** Held to the end of the transaction: a name must differ from every other name and value at once. */
export const lockNames = (db: Db, workspaceId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`labels ${workspaceId}`}, 0))`.execute(db)

export const insertLabel = (db: Db, label: Insertable<Labels>) =>
  db
    .insertInto('labels')
    .values(label)
    .returning(columns)
    .$castTo<Label>()
    .executeTakeFirstOrThrow()

/** Newest first; those that can be set, or with `archived` all there ever were. */
export const listLabels = (
  db: Db,
  workspaceId: string,
  { archived = false }: { archived?: boolean } = {},
) =>
  db
    .selectFrom('labels')
    .select(columns)
    .where('workspace_id', '=', workspaceId)
    .$if(!archived, (query) => query.where('timestamp_archived', 'is', null))
    .orderBy('id', 'desc')
    .$castTo<Label>()
    .execute()

/** Archived ones too. */
export const findLabelById = (db: Db, workspaceId: string, id: string) =>
  db
    .selectFrom('labels')
    .select(columns)
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .$castTo<Label>()
    .executeTakeFirst()

export const updateLabel = (db: Db, workspaceId: string, id: string, changes: Updateable<Labels>) =>
  db
    .updateTable('labels')
    .set(changes)
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .returning(columns)
    .$castTo<Label>()
    .executeTakeFirst()

/** Archives once: a second call matches no row. */
export const archiveLabel = (db: Db, workspaceId: string, id: string, archivedAt: Date) =>
  db
    .updateTable('labels')
    .set({ timestamp_archived: archivedAt, timestamp_updated: archivedAt })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('timestamp_archived', 'is', null)
    .returning(columns)
    .$castTo<Label>()
    .executeTakeFirst()
