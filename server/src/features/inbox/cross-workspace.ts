import { sql } from 'kysely'
import type { ProcessDb } from '../../kernel/db/db.ts'
import { isHere } from '../../kernel/db/here.ts'
import { bucketOfMailbox } from '../mailbox-lanes/index.ts'
import type { ReadMailbox } from './mailbox.ts'

// The reader of mail looks for the mailboxes of its buckets, of all workspaces.

/** Those in error too: it is by trying that one finds out whether they work again. */
export async function findMailboxesToRead(
  db: ProcessDb,
  buckets: number[],
): Promise<ReadMailbox[]> {
  const { rows } = await sql<ReadMailbox>`
    /* cross-workspace: discovery */
    select workspace_id, id, address, imap_version
    from mailboxes
    where status <> 'paused' and ${sql.raw(isHere)}
      and ${sql.raw(bucketOfMailbox('id'))} = any(${buckets}::integer[])
    order by workspace_id, id`.execute(db)
  return rows
}
