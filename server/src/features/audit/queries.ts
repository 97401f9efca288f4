import { type Insertable, sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import { prepared } from '../../kernel/db/prepared.ts'
import type { AuditLog } from '../../kernel/db/types.gen.ts'
import { firstIdAt } from '../../kernel/ids.ts'

const insertEntry = prepared<[string, ...unknown[]], object>(
  'insert_audit_entry',
  `insert into audit_log
     (workspace_id, id, actor_type, actor_id, action, subject_type, subject_id, request_id, details,
      timestamp_created)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
)

/** Nearly every change writes one. */
export const insertAuditEntry = (db: Db, entry: Required<Insertable<AuditLog>>) =>
  insertEntry(
    db,
    ...([entry.workspace_id, entry.id, entry.actor_type, entry.actor_id, entry.action] as const),
    ...([entry.subject_type, entry.subject_id, entry.request_id, entry.details] as const),
    entry.timestamp_created,
  )

/** All that are given must hold. */
export interface AuditFilter {
  /** Whole, or a beginning that ends with a dot: `key.` is every action on keys. */
  action?: string | undefined
  actorType?: string | undefined
  actorId?: string | undefined
  subjectId?: string | undefined
  /** The first instant, and the one after the last. */
  from?: Date | undefined
  to?: Date | undefined
}

/** Of a row of `audit_log`: of a person or a key, as far as this database has them. */
export const actorName = sql<string | null>`coalesce(
  (select u.name from users u where audit_log.actor_type = 'user' and u.id = audit_log.actor_id),
  (select s.name from service_accounts s
    where s.workspace_id = audit_log.workspace_id and s.id = audit_log.actor_id))`

/**
 * Newest first, by the id, which has the time in it. With the names of people and keys, as far
 * as this database has them.
 */
export const selectAuditEntries = (
  db: Db,
  workspaceId: string,
  filter: AuditFilter,
  before: string | undefined,
  limit: number,
) => {
  const { action, actorType, actorId, subjectId, from, to } = filter
  let query = db
    .selectFrom('audit_log')
    .selectAll()
    .select(actorName.as('actor_name'))
    .where('workspace_id', '=', workspaceId)
    .orderBy('id', 'desc')
    .limit(limit)
  if (before) query = query.where('id', '<', before)
  if (from) query = query.where('id', '>=', firstIdAt(from))
  if (to) query = query.where('id', '<', firstIdAt(to))
  if (action) {
    // As the index `audit_log_kind` has it.
    query = query.where(sql`split_part(action, '.', 1)`, '=', action.split('.')[0])
    query = action.endsWith('.')
      ? query.where((eb) => eb.fn('starts_with', ['action', eb.val(action)]), '=', true)
      : query.where('action', '=', action)
  }
  if (actorType) query = query.where('actor_type', '=', actorType)
  if (actorId) query = query.where('actor_id', '=', actorId)
  if (subjectId) query = query.where('subject_id', '=', subjectId)
  return query
}

/** @returns how many; as many as `limit` means that there may be more */
export async function deleteAuditEntries(
  db: Db,
  workspaceId: string,
  olderThan: Date,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from audit_log
    where workspace_id = ${workspaceId}::uuid
      and id = any(array(
        select id from audit_log
        where workspace_id = ${workspaceId}::uuid and id < ${firstIdAt(olderThan)}::uuid
        order by id
        limit ${limit}::integer))`.execute(db)
  return Number(numAffectedRows ?? 0)
}
