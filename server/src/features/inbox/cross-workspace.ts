import { sql } from 'kysely'
import type { ProcessDb } from '../../kernel/db/db.ts'
import { isHere } from '../../kernel/db/here.ts'
import { bucketOfMailbox } from '../mailbox-lanes/index.ts'
import type { InboxMailbox } from './inbox-mailbox.ts'

interface MailboxToRead extends InboxMailbox {
  /** That reading it fails was told to its owner, and nobody has mended it since. */
  is_failing: boolean
}

// The reader of mail looks for the mailboxes of its buckets, of all workspaces.

/** Mailboxes in error are read, too: it is by trying that one finds out whether they work again. */
export async function findMailboxesToRead(
  db: ProcessDb,
  buckets: number[],
): Promise<MailboxToRead[]> {
  const { rows } = await sql<MailboxToRead>`
    /* cross-workspace: discovery */
    select workspace_id, id, address, imap_version, imap_error is not null as is_failing
    from mailboxes
    where status <> 'paused' and ${sql.raw(isHere)}
      and ${sql.raw(bucketOfMailbox('id'))} = any(${buckets}::integer[])
    order by workspace_id, id`.execute(db)
  return rows
}
