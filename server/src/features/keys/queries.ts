import type { Insertable } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import { newestFirst } from '../../kernel/db/newest-first.ts'
import type { ServiceAccounts } from '../../kernel/db/types.gen.ts'
import type { PageRequest } from '../../kernel/http/page.ts'

export async function insertKey(db: Db, key: Insertable<ServiceAccounts>, hash: Buffer) {
  const row = await db
    .insertInto('service_accounts')
    .values(key)
    .returningAll()
    .executeTakeFirstOrThrow()
  await db
    .insertInto('key_hashes')
    .values({ hash, workspace_id: key.workspace_id, key_id: key.id })
    .execute()
  return row
}

/** Those not revoked, newest first, and one more than the page holds. */
export const listKeys = (db: Db, workspaceId: string, page: PageRequest) =>
  db
    .selectFrom('service_accounts')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('timestamp_revoked', 'is', null)
    .$call(newestFirst(page))
    .execute()

/** Revokes once: a second call matches no row. */
export const revokeKey = (db: Db, workspaceId: string, id: string, revokedAt: Date) =>
  db
    .updateTable('service_accounts')
    .set({ timestamp_revoked: revokedAt, timestamp_updated: revokedAt })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('timestamp_revoked', 'is', null)
    .returningAll()
    .executeTakeFirst()

export const revokeChildren = (db: Db, workspaceId: string, parentId: string, revokedAt: Date) =>
  db
    .updateTable('service_accounts')
    .set({ timestamp_revoked: revokedAt, timestamp_updated: revokedAt })
    .where('workspace_id', '=', workspaceId)
    .where('created_by_id', '=', parentId)
    .where('timestamp_revoked', 'is', null)
    .returning(['id'])
    .execute()

/** Not an update of the record: `timestamp_updated` stays. */
export const touchKey = (db: Db, workspaceId: string, id: string, usedAt: Date) =>
  db
    .updateTable('service_accounts')
    .set({ timestamp_last_used: usedAt })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute()
