import type { Context } from '../../kernel/context.ts'
import type { FetchedMail, ImapConnection, MailFolder } from '../../kernel/mail/index.ts'
import { type Incoming, readIncoming } from './incoming.ts'
import * as queries from './queries.ts'
import { takeIn } from './take-in.ts'

/** A mailbox whose mail is read. */
export interface ReadMailbox {
  workspace_id: string
  id: string
  address: string
}

/** Answers come to the inbox; what a filter moved away is there, too. */
const readUses = new Set<MailFolder['specialUse']>(['inbox', 'junk', 'all'])

export const foldersToRead = (folders: MailFolder[]): MailFolder[] =>
  folders
    .filter(({ specialUse }) => readUses.has(specialUse))
    .sort((a, b) => Number(b.specialUse === 'inbox') - Number(a.specialUse === 'inbox'))

/** Enough for every text; the rest of a larger mail is attachments. */
const sourceBytesMax = 512 * 1024
const batchMailsMax = 100
const batchBytesMax = 8 * 1024 * 1024

/** Mail from before the mailbox was added is nobody's answer to us. */
const lookBackMs = 3 * 86_400_000
/** As far as it is looked back for mail when a folder is new, or its UIDs mean something else. */
const lookBackMails = 20_000

/**
 * Reads what is new in a folder, batch by batch, each taken in with the place it was read to.
 *
 * @param goesOn asked before every batch
 * @returns how many mails belonged to a conversation
 * @throws MailFailure
 */
export async function readFolder(
  ctx: Context,
  imap: ImapConnection,
  mailbox: ReadMailbox,
  folder: string,
  goesOn: () => boolean,
): Promise<number> {
  const { uidValidity, uidNext } = await imap.select(folder)
  const { workspace_id, id } = mailbox
  const checkpoint = await queries.lockCheckpoint(ctx.db, workspace_id, id, folder)
  const isKnown = checkpoint?.uid_validity === uidValidity
  const from = isKnown ? checkpoint.next_uid : Math.max(1, uidNext - lookBackMails)
  const oldest = ctx.now().getTime() - lookBackMs
  const isWanted = (mail: FetchedMail) =>
    isKnown || (mail.receivedAt ?? ctx.now()).getTime() >= oldest
  const readTo = (next_uid: number) => ({ folder, uid_validity: uidValidity, next_uid })
  let taken = 0
  let batch: Incoming[] = []
  let bytes = 0
  let next = from
  const flush = async () => {
    taken += await takeIn(ctx, mailbox, batch, readTo(next))
    batch = []
    bytes = 0
  }
  if (uidNext > from) {
    for await (const mail of imap.fetch(from, { sourceBytesMax })) {
      if (!goesOn()) return taken
      if (isWanted(mail)) batch.push(await readIncoming(mail, ctx.now()))
      bytes += mail.source.length
      next = Math.max(next, mail.uid + 1)
      if (batch.length >= batchMailsMax || bytes >= batchBytesMax) await flush()
    }
  }
  next = Math.max(next, uidNext)
  if (batch.length > 0 || !isKnown || next > from) await flush()
  return taken
}
