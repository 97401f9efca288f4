import type { Context } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { MailFailure } from '../../../kernel/mail/index.ts'
import {
  connectMailboxImap,
  explainFailure,
  findMailboxes,
  listMailboxes,
  type Mailbox,
} from '../../mailboxes/index.ts'
import { refuseWhileHeld } from '../../sending/index.ts'
import { readMailbox } from './read-mailbox.ts'

export interface SyncedMailbox {
  id: string
  address: string
  /** How many mails belonged to a conversation, and were new. */
  mails: number
  /** Why it could not be read. */
  error: string | null
}

/** Reads mailboxes now, also while the runner does: each mail has its effect once. */
export async function syncMailboxes(
  ctx: Context,
  workspaceId: string,
  mailboxId?: string,
): Promise<SyncedMailbox[]> {
  await refuseWhileHeld(ctx)
  const mailboxes = mailboxId
    ? await findMailboxes(ctx.db, workspaceId, [mailboxId])
    : await findReadable(ctx, workspaceId)
  if (mailboxId && mailboxes.length === 0) throw notFound('mailbox')
  const synced: SyncedMailbox[] = []
  for (const mailbox of mailboxes) synced.push(await sync(ctx, workspaceId, mailbox))
  return synced
}

async function findReadable(ctx: Context, workspaceId: string): Promise<Mailbox[]> {
  const found: Mailbox[] = []
  let startingAfter: string | undefined
  do {
    const page = await listMailboxes(ctx, workspaceId, { limit: 100, startingAfter })
    found.push(...page.items.filter(({ status }) => status !== 'paused'))
    startingAfter = page.next_starting_after
  } while (startingAfter)
  return found
}

const always = { goesOn: () => true }

async function sync(
  ctx: Context,
  workspace_id: string,
  { id, address }: Mailbox,
): Promise<SyncedMailbox> {
  try {
    const { connection, imap_version } = await connectMailboxImap(ctx, workspace_id, id)
    await using imap = connection
    const mailbox = { workspace_id, id, address, imap_version }
    const { taken } = await readMailbox(ctx, imap, mailbox, always)
    return { id, address, mails: taken, error: null }
  } catch (failure) {
    if (!(failure instanceof MailFailure)) throw failure
    const { what, remedy } = explainFailure(failure, 'imap')
    return { id, address, mails: 0, error: `${what} ${remedy}` }
  }
}
