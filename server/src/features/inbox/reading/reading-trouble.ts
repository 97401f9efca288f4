import type { Context } from '../../../kernel/context.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { isNotFound } from '../../../kernel/errors.ts'
import { describeError } from '../../../kernel/log.ts'
import { isPassingRefusal, MailFailure } from '../../../kernel/mail/index.ts'
import {
  type Reading,
  reportInboxRead,
  reportInboxUnread,
  reportMailboxError,
} from '../../mailboxes/index.ts'
import type { InboxMailbox } from '../inbox-mailbox.ts'

/** Attempts in a row, over ten minutes, after which trouble of the network is one of the mailbox. */
export const failuresMax = 8

/** Everything was read. */
export const reportReading = (
  ctx: Context,
  { workspace_id, id, imap_version }: InboxMailbox,
  reading: Omit<Reading, 'imap_version'>,
) => transaction(ctx, (tx) => reportInboxRead(tx, workspace_id, id, { ...reading, imap_version }))

/**
 * Trouble that its owner can mend, or that does not pass by itself, is told to them: who does not see the
 * answers must not go on writing. A network that is down for a moment is nobody's fault.
 *
 * @returns whether it was told
 */
export async function reportTrouble(
  ctx: Context,
  { workspace_id, id }: InboxMailbox,
  error: unknown,
  failures: number,
): Promise<boolean> {
  // It was removed meanwhile: nobody reads it, and nothing is wrong with it.
  if (isNotFound(error)) return false
  await forget(ctx, { workspace_id, id })
  if (!(error instanceof MailFailure)) {
    ctx.log.warn({ mailbox: id, ...describeError(error) }, 'a mailbox is not read for the moment')
    return false
  }
  ctx.log.info({ mailbox: id, stage: error.stage, kind: error.kind }, 'a mailbox cannot be read')
  if (!needsPerson(error) && failures < failuresMax) return false
  try {
    await transaction(ctx, (tx) => reportMailboxError(tx, workspace_id, id, 'imap', error))
    return true
  } catch (cause) {
    ctx.log.warn({ mailbox: id, ...describeError(cause) }, 'trouble of a mailbox is told later')
    return false
  }
}

/** Follow-ups wait until it is read again, unless the database is away: then they wait for that. */
async function forget(
  ctx: Context,
  { workspace_id, id }: Pick<InboxMailbox, 'workspace_id' | 'id'>,
) {
  try {
    await reportInboxUnread(ctx, workspace_id, id)
  } catch (error) {
    ctx.log.warn({ mailbox: id, ...describeError(error) }, 'that a mailbox is unread is not told')
  }
}

const needsPerson = (failure: MailFailure) =>
  failure.kind === 'blocked' ||
  failure.kind === 'tls' ||
  (failure.stage === 'login' && failure.kind === 'refused' && !isPassingRefusal(failure))
