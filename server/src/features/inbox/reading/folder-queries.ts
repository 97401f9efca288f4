import { sql } from 'kysely'
import type { Db } from '../../../kernel/db/db.ts'
import type { CheckpointPosition, InboxMailbox } from '../inbox-mailbox.ts'

export interface Checkpoint {
  /** Undefined: UIDs have come to mean something else, here or with the settings of another server. */
  next_uid: number | undefined
  /** When it was last read to its end; where nothing had come, to the day. */
  timestamp_read: Date
}

export async function findCheckpoint(
  db: Db,
  { workspace_id, id, imap_version }: InboxMailbox,
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

/** When any folder of the mailbox was read, also of one that was removed; null: never. */
export const findLastReading = async (db: Db, workspaceId: string, mailboxId: string) =>
  (
    await db
      .selectFrom('mailbox_folders')
      .select((of) => of.fn.max('timestamp_read').as('at'))
      .where('workspace_id', '=', workspaceId)
      .where('mailbox_id', '=', mailboxId)
      .executeTakeFirst()
  )?.at ?? null

/**
 * When the first mail left this mailbox to one of the leads that are still written to, from it or from
 * one that took over: an answer may be as old; null: there is none.
 */
export async function findFirstInFlight(db: Db, { workspace_id, id }: InboxMailbox) {
  const { rows } = await sql<{ at: Date | null }>`
    select min(coalesce(s.doubted_sent_at, s.timestamp_transmitting)) as at
    from leads l
    join sends s
      on s.workspace_id = ${workspace_id}::uuid and s.lead_id = l.id
      and s.mailbox_id = ${id}::uuid and s.state in ('transmitting', 'sent', 'uncertain')
    where l.workspace_id = ${workspace_id}::uuid
      and l.mailbox_id = any(array(
        select ${id}::uuid
        union
        select to_mailbox_id from hand_overs
        where workspace_id = ${workspace_id}::uuid and from_mailbox_id = ${id}::uuid
      ))
      and l.sending_state in ('pending', 'active', 'paused')`.execute(db)
  return rows[0]?.at ?? null
}

/** Never back: whoever was slower has read less. */
export const saveCheckpoint = (
  db: Db,
  { workspace_id, id, imap_version }: InboxMailbox,
  { folder, uid_validity, next_uid, read_at }: CheckpointPosition,
) =>
  sql`
    insert into mailbox_folders as f
      (workspace_id, mailbox_id, folder, uid_validity, imap_version, next_uid, timestamp_read)
    values (${workspace_id}::uuid, ${id}::uuid, ${folder}, ${uid_validity}, ${imap_version}::uuid,
      ${next_uid}::bigint, ${read_at}::timestamptz)
    on conflict (workspace_id, mailbox_id, folder) do update
      set next_uid = case
          when f.uid_validity = excluded.uid_validity and f.imap_version = excluded.imap_version
          then greatest(f.next_uid, excluded.next_uid) else excluded.next_uid end,
        uid_validity = excluded.uid_validity, imap_version = excluded.imap_version,
        timestamp_read = excluded.timestamp_read`.execute(db)
