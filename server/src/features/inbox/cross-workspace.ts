import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import { bucketOfMailbox } from '../mailbox-lanes/index.ts'
import type { ReadMailbox } from './read-mailbox.ts'
import type { StoredReply } from './reply-queries.ts'

// The reader of mail looks for the mailboxes of its buckets, whosoever they are, and for what ended
// processes have left behind.

/** Those in error too: it is by trying that one finds out whether they work again. */
export async function findMailboxesToRead(db: Db, buckets: number[]): Promise<ReadMailbox[]> {
  const { rows } = await sql<ReadMailbox>`
    /* cross-workspace: discovery */
    select workspace_id, id, address, imap_version
    from mailboxes
    where status <> 'paused'
      and ${sql.raw(bucketOfMailbox('id'))} = any(${buckets}::integer[])
    order by workspace_id, id`.execute(db)
  return rows
}

/** There are few, if any. */
export async function findAbandonedReplies(db: Db, before: Date): Promise<StoredReply[]> {
  const { rows } = await sql<StoredReply>`
    /* cross-workspace: reconciliation */
    select *
    from replies
    where state in ('claimed', 'transmitting') and timestamp_claimed < ${before}::timestamptz
    order by timestamp_claimed, id
    limit 100`.execute(db)
  return rows
}
