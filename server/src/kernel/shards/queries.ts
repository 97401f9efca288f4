import type { AnyDb } from '../db/db.ts'
import { preparedForAny } from '../db/prepared.ts'

/** What a shard says of where something of a workspace lies. */
export interface Place {
  /** The shard to which the workspace has gone; null: it is here. */
  moved_to: string | null
  /** What it has left was deleted, so that nobody can bring it back. */
  is_emptied?: boolean
}

/** Empty where a database has never had the workspace; `moved_to` says that it has it no more. */
export const findPlace = preparedForAny<[string], Place>(
  'find_place_of_workspace',
  'select moved_to, is_emptied from workspaces where id = $1',
  { pipelined: true },
)

/** A shard as the first one knows it. */
export interface RegisteredShard {
  name: string
  instance_id: string
  /** Null: no limit. */
  workspaces_max: number | null
}

/** Of the first shard; empty where there is one database. By name. */
export const listRegistered = (db: AnyDb): Promise<RegisteredShard[]> =>
  db
    .selectFrom('shards')
    .select(['name', 'instance_id', 'workspaces_max'])
    .orderBy('name')
    .execute()

/** Does nothing where the name is registered already. */
export const insertRegistered = (
  db: AnyDb,
  shard: Omit<RegisteredShard, 'workspaces_max'> & { timestamp_created: Date },
) =>
  db
    .insertInto('shards')
    .values(shard)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()

/** Undefined when there is no such shard. */
export const updateRegistered = (
  db: AnyDb,
  name: string,
  changes: Pick<RegisteredShard, 'workspaces_max'>,
) =>
  db
    .updateTable('shards')
    .set(changes)
    .where('name', '=', name)
    .returning(['name', 'instance_id', 'workspaces_max'])
    .executeTakeFirst()

export const deleteRegistered = (db: AnyDb, name: string) =>
  db.deleteFrom('shards').where('name', '=', name).execute()

export async function hasWorkspaces(db: AnyDb): Promise<boolean> {
  return (await db.selectFrom('workspaces').select('id').limit(1).executeTakeFirst()) !== undefined
}
