import { type ImapConnection, MailFailure, type MailFolder } from '../../../kernel/mail/index.ts'
import { readUses } from './read-mailbox.ts'

/** Looking into one takes two answers of the server. */
const foldersMax = 100

/**
 * The mails of a mailbox that have a Message-ID, each as it lies there: first in the folders that answers
 * come to, then wherever else somebody may have put them.
 *
 * @throws MailFailure also when none was found and the server refuses to look into a folder that answers
 * come to: one of the others may be refused for ever
 */
export async function* findCopies(
  imap: ImapConnection,
  messageId: string,
  bytesMax: number,
): AsyncIterable<{ source: Buffer; isCut: boolean }> {
  const folders = (await imap.folders()).toSorted((a, b) => rankOf(a) - rankOf(b))
  let refused: MailFailure | undefined
  for (const { path, specialUse } of folders.slice(0, foldersMax)) {
    try {
      await imap.select(path)
      for (const uid of await imap.findByMessageId(messageId)) {
        const copy = await imap.fetchSource(uid, bytesMax)
        if (copy) yield copy
      }
    } catch (error) {
      if (!(error instanceof MailFailure) || !imap.isOpen) throw error
      if (readUses.has(specialUse)) refused ??= error
    }
  }
  if (refused) throw refused
}

const rankOf = ({ specialUse }: MailFolder) =>
  specialUse === 'inbox' ? 0 : readUses.has(specialUse) ? 1 : 2
