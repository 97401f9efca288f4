import { type Insertable, sql, type Updateable } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import { newestFirst } from '../../kernel/db/newest-first.ts'
import type { Mailboxes } from '../../kernel/db/types.gen.ts'
import type { PageRequest } from '../../kernel/http/page.ts'

/** Without `settings`: who reads a mailbox to show it needs no secret. */
export const shown = [
  'id',
  'address',
  'display_name',
  'signature',
  'timezone',
  'status',
  'status_reason',
  'daily_limit',
  'ramp_up_start',
  'ramp_up_step',
  'ramp_up_from',
  'gap_seconds',
  'save_sent',
  'sends_locally',
  'inbox_read_at',
  'workspace_id',
  'timestamp_created',
  'timestamp_updated',
] as const

export type ShownRow = NonNullable<Awaited<ReturnType<typeof insertMailbox>>>

/**
 * Whether answers that come to the mailbox are taken in at all, in SQL: also while only the server that it
 * sends through does not work.
 */
export const isFollowed = (mailbox: string) =>
  `(${mailbox}.status <> 'paused' and ${mailbox}.imap_error is null)`

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
    .$call(newestFirst(page))
    .execute()

export const deleteMailbox = (db: Db, workspaceId: string, id: string) =>
  db
    .deleteFrom('mailboxes')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .returning([...shown, 'address_folded'])
    .executeTakeFirst()

/** Which of the addresses are mailboxes of the workspace, in no order. */
export const findMailboxesByAddress = (db: Db, workspaceId: string, foldedAddresses: string[]) =>
  db
    .selectFrom('mailboxes')
    .select(['id', 'address', 'address_folded', 'status', 'sends_locally'])
    .select(sql<boolean>`${sql.raw(isFollowed('mailboxes'))}`.as('is_followed'))
    .where('workspace_id', '=', workspaceId)
    .where('address_folded', '=', sql<string>`any(${foldedAddresses}::text[])`)
    .execute()

/** By the spelling that an email_list keeps, which is the mailbox's own; in no order. */
export const selectByAddress = (db: Db, workspaceId: string, addresses: string[]) =>
  db
    .selectFrom('mailboxes')
    .select(shown)
    .where('workspace_id', '=', workspaceId)
    .where('address', '=', sql<string>`any(${addresses}::text[])`)
    .execute()

export const selectById = (db: Db, workspaceId: string, ids: string[]) =>
  db
    .selectFrom('mailboxes')
    .select(shown)
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute()

/** With its secrets. */
export const selectWithSettings = (db: Db, workspaceId: string, id: string) =>
  db
    .selectFrom('mailboxes')
    .select([...shown, 'settings', 'imap_version'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()

export const findErrors = (db: Db, workspaceId: string, id: string) =>
  db
    .selectFrom('mailboxes')
    .select(['smtp_error', 'imap_error'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()

/** Two changes at once would each be made to what was there before either. */
export const lockMailbox = (db: Db, workspaceId: string, id: string) =>
  db
    .selectFrom('mailboxes')
    .select([...shown, 'settings', 'smtp_error', 'imap_error'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

/** Whether it is still in this version; if so, nobody else changes it until the transaction ends. */
export const lockMailboxVersion = async (
  db: Db,
  workspaceId: string,
  id: string,
  version: Date,
): Promise<boolean> => {
  const held = await db
    .selectFrom('mailboxes')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('timestamp_updated', '=', version)
    .forUpdate()
    .executeTakeFirst()
  return held !== undefined
}

export const updateMailbox = (
  db: Db,
  workspaceId: string,
  id: string,
  change: Updateable<Mailboxes>,
) =>
  db
    .updateTable('mailboxes')
    .set(change)
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .returning(shown)
    .executeTakeFirst()

/**
 * By the database's clock, and now: a reading that takes long may end when the one before is too old.
 *
 * @param last that was kept; a standby that took over may lack it, and have an older one
 */
export const isInboxReadingFresh = async (
  db: Db,
  workspaceId: string,
  id: string,
  last: Date,
  minutes: number,
): Promise<boolean> => {
  const fresh = await db
    .selectFrom('mailboxes')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('inbox_read_at', '>', sql<Date>`outrider_now() - make_interval(mins => ${minutes})`)
    .where('inbox_read_at', '>=', last)
    .executeTakeFirst()
  return fresh !== undefined
}

/**
 * Never back: a slower reader knows less. One that was paused or given other settings meanwhile counts
 * as unread.
 */
export const saveInboxReading = (
  db: Db,
  workspaceId: string,
  id: string,
  { at, imap_version }: { at: Date; imap_version: string },
) =>
  sql`
    update mailboxes
    set inbox_read_at = greatest(inbox_read_at, ${at}::timestamptz)
    where workspace_id = ${workspaceId}::uuid and id = ${id}::uuid and status <> 'paused'
      and imap_version = ${imap_version}::uuid`.execute(db)

export const forgetInboxReading = (db: Db, workspaceId: string, id: string) =>
  db
    .updateTable('mailboxes')
    .set({ inbox_read_at: null })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('inbox_read_at', 'is not', null)
    .execute()

/** Only over the settings that it was made from: somebody may have given others meanwhile. */
export const replaceSettings = async (
  db: Db,
  workspaceId: string,
  id: string,
  { from, to }: { from: Buffer; to: Buffer },
): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('mailboxes')
    .set({ settings: to })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('settings', '=', from)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** One process at a time asks for a token: false for all others, until it is done or its time is over. */
export const takeTokenLease = async (
  db: Db,
  workspaceId: string,
  id: string,
  { now, until }: { now: Date; until: Date },
): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('mailboxes')
    .set({ token_lease_until: until })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where((is) => is.or([is('token_lease_until', 'is', null), is('token_lease_until', '<=', now)]))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Its own, and not that of who took it over. */
export const releaseTokenLease = (db: Db, workspaceId: string, id: string, until: Date) =>
  db
    .updateTable('mailboxes')
    .set({ token_lease_until: null })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('token_lease_until', '=', until)
    .execute()
