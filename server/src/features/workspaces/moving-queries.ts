import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'

// What a move writes of a workspace's row: in which database it is.

/** Nothing of it is begun any more, but everything may still be written. */
export const setMoving = (tx: Db, workspaceId: string, to: string) =>
  tx
    .updateTable('workspaces')
    .set({ moving_to: to, timestamp_moving: sql<Date>`outrider_now()` })
    .where('id', '=', workspaceId)
    .execute()

export const setMoved = (tx: Db, workspaceId: string, to: string) =>
  tx
    .updateTable('workspaces')
    .set({ moving_to: to, moved_to: to, timestamp_moving: sql<Date>`outrider_now()` })
    .where('id', '=', workspaceId)
    .execute()

export const setHere = (tx: Db, workspaceId: string) =>
  tx
    .updateTable('workspaces')
    .set({ moving_to: null, moved_to: null, timestamp_moving: null })
    .where('id', '=', workspaceId)
    .execute()

/** What it has left here is not whole from now on. */
export const setEmptied = (tx: Db, workspaceId: string) =>
  tx.updateTable('workspaces').set({ is_emptied: true }).where('id', '=', workspaceId).execute()

/** The row that an earlier move has left. */
export const deleteTombstone = (tx: Db, workspaceId: string) =>
  tx
    .deleteFrom('workspaces')
    .where('id', '=', workspaceId)
    .where('moved_to', 'is not', null)
    .execute()
