import { type Insertable, sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import { prepared } from '../../kernel/db/prepared.ts'
import type { Memberships } from '../../kernel/db/types.gen.ts'
import type { Role } from '../../kernel/http/access.ts'
import type { Place } from '../../kernel/shards/queries.ts'
import { type PlanSwitches, planSwitches } from '../workspaces/plan/index.ts'

export interface PlaceAndMembership extends Place, PlanSwitches {
  /** Null: the person is no member here. */
  role: Role | null
}

/**
 * Where the workspace lies, a person's role and the plan in one read, for every request: there is no
 * cache to invalidate. Its row is read whoever asks, because where it has gone is answered before who
 * is a member; rows that it has left behind make nobody one.
 */
export const findPlaceAndMembership = prepared<[string, string], PlaceAndMembership>(
  'find_place_and_membership',
  `select w.moved_to, w.is_emptied, m.role, ${planSwitches}
   from workspaces w
   left join memberships m on m.workspace_id = $1 and m.user_id = $2 and w.moved_to is null
   where w.id = $1`,
  { pipelined: true },
)

/** Until the end of the transaction: of two owners who leave at once, one stays. */
export const lockMembers = (tx: Db, workspaceId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`members ${workspaceId}`}, 0))`.execute(tx)

/** @returns undefined when the person is a member already */
export const insertMembership = (db: Db, membership: Insertable<Memberships>) =>
  db
    .insertInto('memberships')
    .values(membership)
    .onConflict((conflict) => conflict.doNothing())
    .returning('user_id')
    .executeTakeFirst()

export const listMemberships = (db: Db, workspaceId: string) =>
  db
    .selectFrom('memberships')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .orderBy('user_id')
    .execute()

export const updateRole = (
  db: Db,
  workspaceId: string,
  userId: string,
  change: { role: Role; timestamp_updated: Date },
) =>
  db
    .updateTable('memberships')
    .set(change)
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .execute()

export const deleteMembership = (db: Db, workspaceId: string, userId: string) =>
  db
    .deleteFrom('memberships')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .execute()
