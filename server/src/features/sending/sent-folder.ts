import type { Context } from '../../kernel/context.ts'
import type { ImapConnection, MailFolder } from '../../kernel/mail/index.ts'
import { connectMailboxImap } from '../mailboxes/index.ts'

/** Opens the mailbox where it reads, for as long as `work` takes. @throws MailFailure */
export async function withImap<T>(
  ctx: Context,
  workspaceId: string,
  mailboxId: string,
  work: (imap: ImapConnection, sent: MailFolder | undefined) => Promise<T>,
): Promise<T> {
  const { connection } = await connectMailboxImap(ctx, workspaceId, mailboxId)
  await using imap = connection
  const folders = await imap.folders()
  return await work(imap, folders.find(isSent) ?? folders.find(isNamedSent))
}

const isSent = ({ specialUse }: MailFolder) => specialUse === 'sent'

/** Of servers that do not say what a folder is for. */
const isNamedSent = ({ path }: MailFolder) =>
  /(^|[./])(sent( (items|mail|messages))?|gesendet(e objekte)?|envoy[eé]s|enviados|inviata|verzonden)$/i.test(
    path,
  )
