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

/** Keys that are not revoked, newest first, and one more than the page holds. */
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

/** One that was revoked, too. */
export const findKey = (db: Db, workspaceId: string, id: string) =>
  db
    .selectFrom('service_accounts')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()

/**
 * Keeps a key from being revoked until the transaction ends: a revocation waits, and then sees what
 * the transaction made. False when it is revoked already, or while this waited.
 */
export async function holdUnrevoked(tx: Db, workspaceId: string, id: string): Promise<boolean> {
  const held = await tx
    .selectFrom('service_accounts')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('timestamp_revoked', 'is', null)
    // Not `for key share`, which a revocation does not wait for.
    .forShare()
    .executeTakeFirst()
  return held !== undefined
}

export const revokeChildren = (db: Db, workspaceId: string, parentId: string, revokedAt: Date) =>
  db
    .updateTable('service_accounts')
    .set({ timestamp_revoked: revokedAt, timestamp_updated: revokedAt })
    .where('workspace_id', '=', workspaceId)
    .where('created_by_id', '=', parentId)
    .where('timestamp_revoked', 'is', null)
    .returning('id')
    .execute()

/** Keys that a key has made, revoked ones too. */
export const listChildIds = (db: Db, workspaceId: string, parentId: string) =>
  db
    .selectFrom('service_accounts')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('created_by_id', '=', parentId)
    .execute()

/** Not an update of the record: `timestamp_updated` stays. */
export const touchKey = (db: Db, workspaceId: string, id: string, usedAt: Date) =>
  db
    .updateTable('service_accounts')
    .set({ timestamp_last_used: usedAt })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute()
