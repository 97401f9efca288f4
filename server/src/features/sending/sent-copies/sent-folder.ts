import { inWorkspace, type ProcessContext } from '../../../kernel/context.ts'
import type { ImapConnection } from '../../../kernel/mail/index.ts'
import { FairSemaphore } from '../../../kernel/runner/fair-semaphore.ts'
import type { LaneKey, MailboxOwner } from '../../mailbox-lanes/index.ts'
import { connectMailboxImap } from '../../mailboxes/index.ts'

const mailboxesAtOnce = 16
const mailboxesOfWorkspaceAtOnce = 4

/** One for each kind of work in Sent folders: servers that hang in one do not hold up the other. */
export const sentFolderSemaphore = () =>
  new FairSemaphore(mailboxesAtOnce, mailboxesOfWorkspaceAtOnce)

/**
 * Works in the Sent folder of a mailbox, if it has one: over the connection that listens in the mailbox,
 * or over one of its own where none does.
 *
 * @throws MailFailure
 */
export async function inSentFolder(
  ctx: ProcessContext,
  owner: MailboxOwner | undefined,
  { workspace_id, mailbox_id }: LaneKey,
  work: (imap: ImapConnection, path: string) => Promise<void>,
): Promise<void> {
  const visit = async (imap: ImapConnection) => {
    const folders = await imap.folders()
    const sent = folders.find(({ specialUse }) => specialUse === 'sent')
    if (!sent) return
    await imap.select(sent.path)
    await work(imap, sent.path)
  }
  if (await owner?.listening(mailbox_id)?.visit(visit)) return
  const { connection } = await connectMailboxImap(
    inWorkspace(ctx, workspace_id),
    workspace_id,
    mailbox_id,
  )
  await using imap = connection
  await visit(imap)
}
