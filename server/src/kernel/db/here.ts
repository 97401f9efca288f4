import { sql } from 'kysely'
import type { AnyDb } from './db.ts'

/**
 * For what looks for work across workspaces, in a table with a `workspace_id`: whether the workspace is
 * worked for here. One that is being moved to another database is written to by nobody, and one that was
 * moved is worked for there.
 */
export const isHere = 'workspace_id not in (select id from workspaces where moving_to is not null)'

/** For the open transaction: what a workspace that is not here has left is written to all the same. */
export const writeThroughFences = (tx: AnyDb) =>
  sql`select set_config('outrider.mover', 'on', true)`.execute(tx)
