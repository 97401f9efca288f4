import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import type { SavedView } from './schema.ts'

export const findViews = async (db: Db, workspaceId: string, userId: string) => {
  const { rows } = await sql<{ views: SavedView[] }>`
    select views from saved_views
    where workspace_id = ${workspaceId}::uuid and user_id = ${userId}::uuid`.execute(db)
  return rows[0]?.views ?? []
}

export const upsertViews = (
  db: Db,
  workspaceId: string,
  userId: string,
  views: SavedView[],
  at: Date,
) =>
  sql`
    insert into saved_views (workspace_id, user_id, views, timestamp_updated)
    values (${workspaceId}::uuid, ${userId}::uuid, ${JSON.stringify(views)}::jsonb,
      ${at}::timestamptz)
    on conflict (workspace_id, user_id) do update
      set views = excluded.views, timestamp_updated = excluded.timestamp_updated`.execute(db)
