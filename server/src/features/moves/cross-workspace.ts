// COPY takes no parameters, and what is left of moves is looked for in all workspaces.
import { sql } from 'kysely'
import type { ProcessDb } from '../../kernel/db/db.ts'
import type { WorkspaceTable } from './tables.ts'

const namesOf = (names: string[]) => names.map((name) => `"${name}"`).join(', ')

/** What `copy … to stdout` sends of a table. @param workspaceId a UUID, as the database gave it */
export const copyOut = ({ name, columns, owner }: WorkspaceTable, workspaceId: string) =>
  `/* cross-workspace: a workspace is moved */
   copy (select ${namesOf(columns)} from "${name}" where ${owner} = '${workspaceId}')
   to stdout (format binary)`

export const copyIn = ({ name, columns }: WorkspaceTable) =>
  `/* cross-workspace: a workspace is moved */
   copy "${name}" (${namesOf(columns)}) from stdin (format binary)`

/** A workspace that is being moved from this database, or was. */
export interface Leaving {
  id: string
  name: string
  moving_to: string
  moved_to: string | null
  timestamp_moving: Date | null
  /** Of its present state. */
  since_ms: number
  /** Its triggers are there: nothing of it can be written. */
  is_fenced: boolean
  /** A mover is at work. */
  is_under_way: boolean
}

/** Workspaces that are being moved from here, and those that were and have left something behind. */
export async function listLeaving(db: ProcessDb): Promise<Leaving[]> {
  const { rows } = await sql<Leaving>`/* cross-workspace: upkeep */
    select w.id, w.name, w.moving_to, w.moved_to, w.timestamp_moving,
      coalesce(extract(epoch from outrider_now() - w.timestamp_moving) * 1000, 0)::float8 as since_ms,
      f.is_fenced,
      exists (
        select from pg_locks l
        where l.locktype = 'advisory' and l.granted and l.objsubid = 1
          and l.database = (select oid from pg_database where datname = current_database())
          and (l.classid::bigint << 32) + l.objid::bigint = hashtextextended('move ' || w.id, 0)
      ) as is_under_way
    from workspaces w
    cross join lateral (
      select exists (
        select from pg_trigger t
        where starts_with(t.tgname::text, 'outrider_fence_' || replace(w.id::text, '-', ''))
      ) as is_fenced
    ) f
    where w.moving_to is not null and (w.moved_to is null or f.is_fenced)
    order by w.id`.execute(db)
  return rows
}
