import type { Context } from '../../../kernel/context.ts'
import { AppError } from '../../../kernel/errors.ts'
import { readAll } from '../../../kernel/http/page.ts'
import { limitAtOnce } from '../../../kernel/limit-at-once.ts'
import { MailFailure } from '../../../kernel/mail/index.ts'
import {
  connectMailboxImap,
  explainFailure,
  getMailbox,
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

interface SyncOptions {
  /** Only this one. */
  mailboxId?: string | undefined
  /** No other is begun with after that: who waits for the answer does not wait for ever. */
  beginWithinMs?: number
}

const mailboxesAtOnce = 8

/** Each reads so many mailboxes at once, and holds some MB for each. */
const takeSyncSlot = limitAtOnce('readings of mailboxes', {
  ofWorkspaceMax: 2,
  ofProcessMax: 8,
})

/** Reads mailboxes now, also while the runner does: each mail has its effect once. */
export async function syncMailboxes(
  ctx: Context,
  workspaceId: string,
  { mailboxId, beginWithinMs = Number.POSITIVE_INFINITY }: SyncOptions = {},
): Promise<SyncedMailbox[]> {
  using _slot = takeSyncSlot(ctx.mail, workspaceId)
  await refuseWhileHeld(ctx)
  const mailboxes = mailboxId
    ? [await getMailbox(ctx, workspaceId, mailboxId)]
    : (await readAll((page) => listMailboxes(ctx, workspaceId, page))).items.filter(isReadable)
  const synced: SyncedMailbox[] = []
  const untilMs = ctx.monotonicMs() + beginWithinMs
  const waiting = mailboxes.values()
  const readOneByOne = async () => {
    for (const { id, address } of waiting) {
      const isLate = ctx.monotonicMs() >= untilMs
      const late = {
        id,
        address,
        mails: 0,
        error: 'There was no time for it: it is read by itself.',
      }
      const item = isLate ? late : await sync(ctx, workspaceId, { id, address })
      if (item) synced.push(item)
    }
  }
  await Promise.all(Array.from({ length: mailboxesAtOnce }, readOneByOne))
  return synced
}

const isReadable = ({ status }: Mailbox) => status !== 'paused'

const always = { goesOn: () => true }

/** @returns undefined when it was removed meanwhile */
async function sync(
  ctx: Context,
  workspace_id: string,
  { id, address }: Pick<Mailbox, 'id' | 'address'>,
): Promise<SyncedMailbox | undefined> {
  try {
    const { connection, imap_version } = await connectMailboxImap(ctx, workspace_id, id)
    await using imap = connection
    const mailbox = { workspace_id, id, address, imap_version }
    const { taken, refused } = await readMailbox(ctx, imap, mailbox, always)
    return { id, address, mails: taken, error: refused ? explain(refused) : null }
  } catch (failure) {
    if (failure instanceof AppError && failure.code === 'not_found') return undefined
    if (!(failure instanceof MailFailure)) throw failure
    return { id, address, mails: 0, error: explain(failure) }
  }
}

function explain(failure: MailFailure): string {
  const { what, remedy } = explainFailure(failure, 'imap')
  return `${what} ${remedy}`
}
