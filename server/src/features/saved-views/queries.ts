import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import { type SavedView, viewsMax } from './schema.ts'

export const findViews = async (db: Db, workspaceId: string, userId: string) => {
  const { rows } = await sql<{ views: SavedView[] }>`
    select views from saved_views
    where workspace_id = ${workspaceId}::uuid and user_id = ${userId}::uuid`.execute(db)
  return rows[0]?.views ?? []
}

const others = (name: string) => sql`
  (select coalesce(jsonb_agg(each.view order by each.place), '[]'::jsonb)
   from jsonb_array_elements(saved_views.views) with ordinality each (view, place)
   where each.view ->> 'name' <> ${name})`

/** @returns undefined when there are as many as may be kept */
export const upsertView = async (
  db: Db,
  workspaceId: string,
  userId: string,
  view: SavedView,
  at: Date,
): Promise<SavedView[] | undefined> => {
  const { rows } = await sql<{ views: SavedView[] }>`
    insert into saved_views (workspace_id, user_id, views, timestamp_updated)
    values (${workspaceId}::uuid, ${userId}::uuid, ${JSON.stringify([view])}::jsonb,
      ${at}::timestamptz)
    on conflict (workspace_id, user_id) do update
      set views = ${others(view.name)} || excluded.views,
        timestamp_updated = excluded.timestamp_updated
      where jsonb_array_length(${others(view.name)}) < ${viewsMax}
    returning views`.execute(db)
  return rows[0]?.views
}

export const deleteView = async (
  db: Db,
  workspaceId: string,
  userId: string,
  name: string,
  at: Date,
): Promise<SavedView[]> => {
  const { rows } = await sql<{ views: SavedView[] }>`
    update saved_views set views = ${others(name)}, timestamp_updated = ${at}::timestamptz
    where workspace_id = ${workspaceId}::uuid and user_id = ${userId}::uuid
    returning views`.execute(db)
  return rows[0]?.views ?? []
}
