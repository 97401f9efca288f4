import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import type { ReadTo } from './take-in.ts'

export interface Checkpoint {
  uid_validity: string
  next_uid: number
  /** When something was last read. */
  timestamp_read: Date
}

export async function findCheckpoint(
  db: Db,
  workspaceId: string,
  mailboxId: string,
  folder: string,
): Promise<Checkpoint | undefined> {
  const row = await db
    .selectFrom('mailbox_folders')
    .select(['uid_validity', 'next_uid', 'timestamp_read'])
    .where('workspace_id', '=', workspaceId)
    .where('mailbox_id', '=', mailboxId)
    .where('folder', '=', folder)
    .executeTakeFirst()
  return row && { ...row, next_uid: Number(row.next_uid) }
}

/** Never back: whoever was slower has read less. */
export const saveCheckpoint = (
  db: Db,
  workspaceId: string,
  mailboxId: string,
  { folder, uid_validity, next_uid }: ReadTo,
  at: Date,
) =>
  sql`
    insert into mailbox_folders as f
      (workspace_id, mailbox_id, folder, uid_validity, next_uid, timestamp_read)
    values (${workspaceId}::uuid, ${mailboxId}::uuid, ${folder}, ${uid_validity}, ${next_uid}::bigint,
      ${at}::timestamptz)
    on conflict (workspace_id, mailbox_id, folder) do update
      set next_uid = case when f.uid_validity = excluded.uid_validity
          then greatest(f.next_uid, excluded.next_uid) else excluded.next_uid end,
        uid_validity = excluded.uid_validity, timestamp_read = excluded.timestamp_read`.execute(db)
