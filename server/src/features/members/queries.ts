import type { Insertable } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import { prepared } from '../../kernel/db/prepared.ts'
import type { Memberships } from '../../kernel/db/types.gen.ts'
import type { Role } from '../../kernel/http/access.ts'

export interface Membership {
  role: Role
  plan_api: boolean
  plan_webhooks: boolean
  plan_acquisition: boolean
}

/** A person's role and the plan in one read, for every request: there is no cache to invalidate. */
export const findMembership = prepared<[string, string], Membership>(
  'find_membership',
  `select m.role, w.plan_api, w.plan_webhooks, w.plan_acquisition
   from memberships m
   join workspaces w on w.id = m.workspace_id
   where m.workspace_id = $1 and m.user_id = $2`,
  { pipelined: true },
)

export const insertMembership = (db: Db, membership: Insertable<Memberships>) =>
  db
    .insertInto('memberships')
    .values(membership)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
