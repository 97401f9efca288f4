import { type Insertable, sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import type { Mailboxes } from '../../kernel/db/types.gen.ts'
import type { PageRequest } from '../../kernel/http/page.ts'

/** Without `settings`: who reads a mailbox to show it needs no secret. */
const shown = [
  'id',
  'address',
  'display_name',
  'status',
  'status_reason',
  'daily_limit',
  'workspace_id',
  'timestamp_created',
  'timestamp_updated',
] as const

/** Answers no row when the workspace has a mailbox of this address. */
export const insertMailbox = (db: Db, mailbox: Insertable<Mailboxes>) =>
  db
    .insertInto('mailboxes')
    .values(mailbox)
    .onConflict((conflict) => conflict.columns(['workspace_id', 'address_folded']).doNothing())
    .returning(shown)
    .executeTakeFirst()

/** Newest first, and one more than the page holds. */
export const listMailboxes = (db: Db, workspaceId: string, page: PageRequest) =>
  db
    .selectFrom('mailboxes')
    .select(shown)
    .where('workspace_id', '=', workspaceId)
    .$if(page.startingAfter !== undefined, (query) =>
      query.where('id', '<', page.startingAfter ?? ''),
    )
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute()

export const deleteMailbox = (db: Db, workspaceId: string, id: string) =>
  db
    .deleteFrom('mailboxes')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .returning(shown)
    .executeTakeFirst()

/** Those of the addresses that are mailboxes of the workspace, in no order. */
export const findMailboxesByAddress = (db: Db, workspaceId: string, foldedAddresses: string[]) =>
  db
    .selectFrom('mailboxes')
    .select(['id', 'address', 'address_folded', 'status'])
    .where('workspace_id', '=', workspaceId)
    .where('address_folded', '=', sql<string>`any(${foldedAddresses}::text[])`)
    .execute()
