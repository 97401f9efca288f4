import type { Context } from '../../kernel/context.ts'
import { wakeMailboxes } from '../mailbox-lanes/index.ts'
import { findSuccessors } from './hand-over-queries.ts'
import { reportMailboxRecovered } from './health.ts'
import * as queries from './queries.ts'

/** Three times as long as a reader lets pass between two readings. */
const validMinutes = 15
/**
 * A sender that finds the reading too old sleeps until it is woken. It may look just before the next one
 * is committed, so this is less.
 */
const oldMinutes = 10

/**
 * Whether the mailbox was read a short time ago, in SQL, so that nobody has answered there long before.
 * By the database's clock.
 *
 * @param mailbox name of the row @param since readings from before it do not count; SQL, too
 */
export const isInboxRead = (mailbox: string, since = 'null') =>
  `coalesce(${mailbox}.inbox_read_at > greatest(
     outrider_now() - interval '${validMinutes} minutes', ${since}::timestamptz), false)`

/**
 * Whether a follow-up may leave the mailbox, in SQL: it was read, and so was each one that is read at all
 * and whose conversations it took over, because answers still come there, too.
 *
 * @param mailbox name of the row @param since as for `isInboxRead`
 */
export const mayFollowUp = (mailbox: string, since = 'null') =>
  `(${isInboxRead(mailbox, since)} and not exists (
     select from hand_overs h
     join lateral (
       select ${queries.isFollowed('o')} as is_followed, ${isInboxRead('o', since)} as is_read
       from mailboxes o
       where o.workspace_id = ${mailbox}.workspace_id and o.id = h.from_mailbox_id
       order by o.id
       limit 1
     ) o on o.is_followed and not o.is_read
     where h.workspace_id = ${mailbox}.workspace_id and h.to_mailbox_id = ${mailbox}.id
     offset 0
   ))`

/** Whether it was connected or resumed so short a time ago that nobody can have read it yet, in SQL. */
export const isBeingRead = (mailbox: string) =>
  `(${mailbox}.inbox_read_at is null
     and ${mailbox}.timestamp_updated > outrider_now() - interval '${validMinutes} minutes')`

export interface Reading {
  /** When it began, by the database's clock: what lay in the mailbox then is known. */
  at: Date
  /** When the one before on this connection began; null: this is the first. */
  last: Date | null
  /** Of the settings that it was read by: what another server holds says nothing of this one. */
  imap_version: string
}

/**
 * Everything that lay in the mailbox was read and has had its effect: follow-ups that waited for it
 * are sent, also from those that went on with its conversations.
 */
export async function reportInboxRead(
  tx: Context,
  workspaceId: string,
  id: string,
  { at, last, imap_version }: Reading,
): Promise<void> {
  const isFresh =
    last !== null && (await queries.isInboxReadingFresh(tx.db, workspaceId, id, last, oldMinutes))
  await reportMailboxRecovered(tx, workspaceId, id, 'imap')
  await queries.saveInboxReading(tx.db, workspaceId, id, { at, imap_version })
  // To those that another process sends from, the reading before may not count: it may have begun since.
  const successors = await findSuccessors(tx.db, workspaceId, id)
  await wakeMailboxes(tx, workspaceId, isFresh ? successors : [id, ...successors])
}

/** A mailbox that cannot be read just now: what comes in meanwhile nobody knows. */
export const reportInboxUnread = (ctx: Context, workspaceId: string, id: string) =>
  queries.forgetInboxReading(ctx.db, workspaceId, id)
