import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import type { ReadMailbox } from './read-mailbox.ts'

// The reader of mail looks for the mailboxes of its buckets, whosoever they are.

/** Those in error too: it is by trying that one finds out whether they work again. */
export async function findMailboxesToRead(db: Db, buckets: number[]): Promise<ReadMailbox[]> {
  const { rows } = await sql<ReadMailbox>`
    /* cross-workspace: discovery */
    select workspace_id, id, address
    from mailboxes
    where status <> 'paused'
      and ('x' || right(id::text, 2))::bit(8)::integer = any(${buckets}::integer[])
    order by workspace_id, id`.execute(db)
  return rows
}
