import { type Insertable, sql } from 'kysely'
import type { Db } from '../../../kernel/db/db.ts'
import type { TryOutCalls } from '../../../kernel/db/types.gen.ts'

/** Nobody else counts or adds calls of the receiver until the transaction ends. */
export const lockReceiver = (db: Db, tryOutId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`try-out ${tryOutId}`}, 0))`.execute(db)

export const countCallsSince = async (
  db: Db,
  workspaceId: string,
  tryOutId: string,
  since: Date,
): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from try_out_calls
    where workspace_id = ${workspaceId}::uuid and try_out_id = ${tryOutId}::uuid
      and timestamp_created > ${since}::timestamptz`.execute(db)
  return rows[0]?.count ?? 0
}

export const insertCall = (db: Db, call: Insertable<TryOutCalls>) =>
  db.insertInto('try_out_calls').values(call).execute()

/** Newest first. */
export const listCalls = (db: Db, workspaceId: string, tryOutId: string) =>
  db
    .selectFrom('try_out_calls')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('try_out_id', '=', tryOutId)
    .orderBy('id', 'desc')
    .execute()

/** Leaves the newest of a receiver. */
export const deleteCallsBut = (db: Db, workspaceId: string, tryOutId: string, most: number) =>
  sql`
    delete from try_out_calls
    where workspace_id = ${workspaceId}::uuid and try_out_id = ${tryOutId}::uuid
      and id <= (
        select id from try_out_calls
        where workspace_id = ${workspaceId}::uuid and try_out_id = ${tryOutId}::uuid
        order by id desc
        offset ${most}::integer limit 1)`.execute(db)

/** Of receivers whose id is smaller. */
export const deleteCallsBefore = (db: Db, workspaceId: string, tryOutId: string) =>
  db
    .deleteFrom('try_out_calls')
    .where('workspace_id', '=', workspaceId)
    .where('try_out_id', '<', tryOutId)
    .execute()

/** Of every receiver of the workspace. */
export const deleteCalls = (db: Db, workspaceId: string) =>
  db.deleteFrom('try_out_calls').where('workspace_id', '=', workspaceId).execute()

/** Ids of the destinations whose address ends like this now. */
export const listWebhookIdsAt = (db: Db, workspaceId: string, ending: string) =>
  db
    .selectFrom('webhooks')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where(sql`right(target_hook_url, length(${ending}::text))`, '=', ending)
    .orderBy('id')
    .limit(20)
    .execute()
