import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'

/** What is kept of a mailbox that was removed: conversations know it by its id. */
export interface RemovedMailbox {
  id: string
  address: string
}

export const insertRemoved = (
  db: Db,
  workspaceId: string,
  mailbox: RemovedMailbox & { address_folded: string },
  at: Date,
) =>
  db
    .insertInto('removed_mailboxes')
    .values({ workspace_id: workspaceId, ...mailbox, timestamp_removed: at })
    .execute()

/** Which of the addresses were mailboxes of the workspace, in no order. */
export const findRemovedByAddress = (db: Db, workspaceId: string, foldedAddresses: string[]) =>
  db
    .selectFrom('removed_mailboxes')
    .select(['id', 'address', 'address_folded'])
    .where('workspace_id', '=', workspaceId)
    .where('address_folded', '=', sql<string>`any(${foldedAddresses}::text[])`)
    .execute()

/** Takes a mailbox that is one again out of those that were removed. */
export const takeRemoved = (
  db: Db,
  workspaceId: string,
  foldedAddress: string,
): Promise<RemovedMailbox | undefined> =>
  db
    .deleteFrom('removed_mailboxes')
    .where('workspace_id', '=', workspaceId)
    .where('address_folded', '=', foldedAddress)
    .returning(['id', 'address'])
    .executeTakeFirst()
