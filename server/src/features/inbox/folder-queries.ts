import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import type { ReadMailbox } from './read-mailbox.ts'
import type { ReadTo } from './take-in.ts'

export interface Checkpoint {
  /** Undefined: UIDs have come to mean something else, here or with the settings of another server. */
  next_uid: number | undefined
  /** When something was last read. */
  timestamp_read: Date
}

export async function findCheckpoint(
  db: Db,
  { workspace_id, id, imap_version }: ReadMailbox,
  folder: string,
  uidValidity: string,
): Promise<Checkpoint | undefined> {
  const row = await db
    .selectFrom('mailbox_folders')
    .select(['uid_validity', 'imap_version', 'next_uid', 'timestamp_read'])
    .where('workspace_id', '=', workspace_id)
    .where('mailbox_id', '=', id)
    .where('folder', '=', folder)
    .executeTakeFirst()
  if (!row) return undefined
  const isSame = row.uid_validity === uidValidity && row.imap_version === imap_version
  return {
    next_uid: isSame ? Number(row.next_uid) : undefined,
    timestamp_read: row.timestamp_read,
  }
}

/** Never back: whoever was slower has read less. */
export const saveCheckpoint = (
  db: Db,
  { workspace_id, id, imap_version }: ReadMailbox,
  { folder, uid_validity, next_uid }: ReadTo,
  at: Date,
) =>
  sql`
    insert into mailbox_folders as f
      (workspace_id, mailbox_id, folder, uid_validity, imap_version, next_uid, timestamp_read)
    values (${workspace_id}::uuid, ${id}::uuid, ${folder}, ${uid_validity}, ${imap_version}::uuid,
      ${next_uid}::bigint, ${at}::timestamptz)
    on conflict (workspace_id, mailbox_id, folder) do update
      set next_uid = case
          when f.uid_validity = excluded.uid_validity and f.imap_version = excluded.imap_version
          then greatest(f.next_uid, excluded.next_uid) else excluded.next_uid end,
        uid_validity = excluded.uid_validity, imap_version = excluded.imap_version,
        timestamp_read = excluded.timestamp_read`.execute(db)
